// The ranges of a loop in which a nest computes its value in one way: where it chooses by the loop's index, as in
// concatenations and paddings, each range gets a nest of its own without the choice.
#pragma once
#include "passes/loop/store_nest.h"
#include "sym/analyzer.h"

namespace sunmao {

/// Parts of a nest that differ in the range of the loop `loop`; together they are the nest.
struct IndexRanges {
  size_t loop;
  std::vector<StoreNest> nests;
};

/// Returns the ranges of the first loop of a nest at whose index, compared with what is constant in the nest, a value
/// or an index is chosen; nullopt when there is none, there are more than `most`, or their order is unknown.
std::optional<IndexRanges> split_by_index(const StoreNest& nest, size_t most, Analyzer& analyzer);

/// True unless the ranges are of the last loop and take many more vectors of `lanes` than the whole loop does.
bool fills_vectors(const IndexRanges& ranges, int lanes);

}  // namespace sunmao
