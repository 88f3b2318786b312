// Functions of a module that refer to themselves, directly or through each other.
#pragma once
#include "ir/module.h"

namespace sunmao {

/// The groups of graph-level functions that refer to each other in a circle, one that refers to itself alone among
/// them. A reference counts, called or not. Groups and their members are in the order of the module.
std::vector<std::vector<Ref<GlobalVar>>> detect_recursion(const Module& module);

}  // namespace sunmao
