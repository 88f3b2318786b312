// Index-set splitting: where the value of a nest is selected by a loop's index, as in concatenations and paddings, each
// range of that index gets a nest of its own without the selection.
#pragma once
#include "passes/loop/store_nest.h"
#include "sym/analyzer.h"

namespace sunmao {

/// Parts of a nest that differ in the range of the loop `loop`; together they are the nest.
struct IndexRanges {
  size_t loop;
  std::vector<StoreNest> nests;
};

/// Returns the ranges of the first loop whose index is compared with a loop-invariant bound to select a value or an
/// index; nullopt when there is none, there are more than `most` ranges, or their order is unknown.
std::optional<IndexRanges> split_by_index(const StoreNest& nest, size_t most, Analyzer& analyzer);

/// True unless the ranges are of the last loop and take many more vectors of `lanes` than the whole loop does.
bool fills_vectors(const IndexRanges& ranges, int lanes);

}  // namespace sunmao
