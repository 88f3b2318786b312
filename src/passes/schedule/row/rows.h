// The kernel family `row`: statements whose dependences stay within a row, as in softmax and norms. Their loops over
// rows are fused: all statements process a row, while it is in the cache, before the next row.
#pragma once
#include <optional>
#include <vector>

#include "passes/loop/store_nest.h"
#include "sym/walk.h"

namespace sunmao {

struct RowGroup {
  size_t first, count;             // of the statements
  std::vector<Ref<SymVar>> rows;   // outermost first
  std::vector<Scalar> extents;     // of `rows`
  std::vector<StoreNest> nests;    // with `rows` in place of loops of their own
  std::vector<Ref<Buffer>> local;  // temporaries of these statements alone, contracted to one row
  Scalar row_size;                 // elements that the longest statement computes for a row
};

/// Returns how many rows there are, and their places by number, outermost first.
Scalar count_of_rows(const RowGroup& group);
Substitution place_of_row(const RowGroup& group, const Scalar& number);

/// Returns the longest group that begins with the statement `first`; nullopt when there is none with a reduction, or
/// its temporaries of a row are too large.
std::optional<RowGroup> read_rows(const PrimFunc& func, const RootBody& root, size_t first);

}  // namespace sunmao
