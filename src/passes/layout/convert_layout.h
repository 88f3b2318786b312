// The pass `convert-layout`: converts ops to desired tensor layouts, which are given per op name or chosen per call.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ir/walk.h"
#include "ops/layout_rule.h"

namespace sunmao {

/// Maps op names, with or without the prefix `relax.`, to the desired layouts of the op's tensors: first the inputs,
/// then the result.
using DesiredLayouts = std::map<std::string, std::vector<std::string>>;
/// Returns the desired layouts for one call.
using LayoutChoice = std::function<DesiredLayouts(const Ref<Call>&)>;

Module convert_layout(const Module& m, const DesiredLayouts& desired);
Module convert_layout(const Module& m, const LayoutChoice& choice);

/// Who decides for the calls of a function that are bound in dataflow blocks.
struct LayoutControl {
  /// True for the variable of a call that stays in its original layout.
  std::function<bool(const Ref<Var>& var)> stays = {};
  /// Receives the plan of each other call that has one.
  std::function<void(const Binding& binding, const LayoutPlan& plan)> on_plan = {};
};
Ref<Function> convert_layout(const Ref<Function>& f, const DesiredLayouts& desired, const LayoutControl& control);

}  // namespace sunmao
