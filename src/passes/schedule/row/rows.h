// The kernel family `row`: statements of which each row uses nothing but what the same row of the statements before
// computed, as in softmax and norms. They pass over a row one after the other, while it is in the cache.
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
  std::vector<Ref<Buffer>> local;  // what only these statements use, without the dimensions of `rows`
  Scalar row_size;                 // elements that the longest statement computes for a row
};

/// Returns how many rows there are, and their places by number, outermost first.
Scalar count_of_rows(const RowGroup& group);
Substitution place_of_row(const RowGroup& group, const Scalar& number);

/// Returns the longest group that begins with the statement `first`; nullopt when there is none with a reduction, or
/// its temporaries of a row are too large.
std::optional<RowGroup> read_rows(const PrimFunc& func, const RootBody& root, size_t first);

}  // namespace sunmao
