// The pass `convert-layout`: converts ops to desired tensor layouts, which are given per op name or chosen per call.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ir/walk.h"

namespace sunmao {

/// Maps op names, with or without the prefix `relax.`, to the desired layouts of the op's tensors: first the inputs,
/// then the result.
using DesiredLayouts = std::map<std::string, std::vector<std::string>>;
/// Returns the desired layouts for one call.
using LayoutChoice = std::function<DesiredLayouts(const Ref<Call>&)>;

Module convert_layout(const Module& m, const DesiredLayouts& desired);
Module convert_layout(const Module& m, const LayoutChoice& choice);

}  // namespace sunmao
