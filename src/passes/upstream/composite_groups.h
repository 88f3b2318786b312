// merge-composite-functions: the analysis that groups calls of composite functions of the same backend.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "ir/module.h"

namespace sunmao {

/// A group of calls of functions of one backend, with the tuple accesses and tuple constructions between them.
struct CompositeGroup {
  std::string backend;           // the part of `Composite` before the dot
  std::vector<Binding> members;  // in the order of the block
  std::set<size_t> needs;        // groups that it depends on transitively; used while groups are formed
};

/// Returns the groups of a block. A call joins the groups of its operands that have its backend, unless another operand
/// depends on such a group, because then the merged groups would depend on each other.
std::vector<CompositeGroup> composite_groups(const Module& module, const BindingBlock& block);

}  // namespace sunmao
