// Which calls of composite functions become one function. Not the function: merge_composite_functions.cpp makes it.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "ir/module.h"

namespace sunmao {

/// Calls of functions of one backend, with what takes tuples between them apart and puts them together.
struct CompositeGroup {
  std::string backend;           // what stands before the point in `Composite`
  std::vector<Binding> members;  // in their order
  std::set<size_t> needs;        // other groups whose results it needs, directly or not, while groups are being made
};

/// The groups of a block. A call joins those of its operands' groups that have its backend, unless another operand
/// needs a result of theirs, which would make the groups need each other.
std::vector<CompositeGroup> composite_groups(const Module& module, const BindingBlock& block);

}  // namespace sunmao
