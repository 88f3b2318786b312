// The pass `convert-layout`, with layouts per op or per call.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ir/walk.h"

namespace sunmao {

/// Maps op names, with or without `relax.`, to the layouts of the op's tensors: the inputs, then the result.
using DesiredLayouts = std::map<std::string, std::vector<std::string>>;
/// Returns the desired layouts for one call.
using LayoutChoice = std::function<DesiredLayouts(const Ref<Call>&)>;

Module convert_layout(const Module& m, const DesiredLayouts& desired);
Module convert_layout(const Module& m, const LayoutChoice& choice);

}  // namespace sunmao
