// Analysis: recursive functions of a module.
#pragma once
#include "ir/module.h"

namespace sunmao {

/// Returns the cycles of the reference graph of graph-level functions: its strongly connected components of several
/// functions, and single functions that refer to themselves. A reference counts even if it is not a call. Groups and
/// members are in module order.
std::vector<std::vector<Ref<GlobalVar>>> detect_recursion(const Module& module);

}  // namespace sunmao
