// Tensors stored in the layouts that the user wants for some ops, and what lies between following them.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ir/walk.h"

namespace sunmao {

/// Names of ops, with or without `relax.`, and the layouts of their tensors: those that go in, then the result's.
using DesiredLayouts = std::map<std::string, std::vector<std::string>>;
/// The same for one call.
using LayoutChoice = std::function<DesiredLayouts(const Ref<Call>&)>;

Module convert_layout(const Module& m, const DesiredLayouts& desired);
Module convert_layout(const Module& m, const LayoutChoice& choice);

}  // namespace sunmao
