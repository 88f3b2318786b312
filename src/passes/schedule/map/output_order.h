// Loop interchange to the output's memory order: an elementwise nest that stores a blocked layout loops over blocks.
#pragma once
#include <vector>

#include "passes/loop/store_nest.h"

namespace sunmao {

/// Returns nests that together store what `nest` does, with loops in the order of the output's indices. A loop that
/// indexes the output by block and offset (`v // 32`, `v % 32`) is split into two, and a partial last block is peeled
/// into a nest of its own. Returns `nest` alone when no loop does so.
std::vector<StoreNest> in_output_order(const StoreNest& nest);

}  // namespace sunmao
