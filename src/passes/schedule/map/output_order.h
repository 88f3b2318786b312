// Loops in the order of the output: an elementwise nest that stores in blocks of an axis goes over the blocks.
#pragma once
#include <vector>

#include "passes/loop/store_nest.h"

namespace sunmao {

/// Returns nests that store together what `nest` does, with loops in the order in which the indices of the output have
/// them. A loop that indexes the output as block and place in the block (`v // 32`, `v % 32`) becomes two loops, and a
/// last block that is not full a nest of its own. Returns `nest` alone when no loop does so.
std::vector<StoreNest> in_output_order(const StoreNest& nest);

}  // namespace sunmao
