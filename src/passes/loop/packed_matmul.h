// PackedMatmul: a matrix product with packed weights, as recognised in loop IR, and the choice of its blocking
// parameters.
#pragma once
#include <optional>

#include "passes/loop/store_nest.h"
#include "support/target.h"

namespace sunmao {

/// The product c[i, j] = sum over k of x[i, k] * w[j / nr, k, j % nr], optionally with an elementwise epilogue on c[i,
/// j].
struct PackedMatmul {
  Ref<Buffer> x, w, c;
  Scalar m, n, k, panels;
  int nr = 0;
  bool takes_before = false;          // the preceding statement initialises c and is replaced, too
  std::optional<StoreNest> epilogue;  // stores out[i, j] as a function of c[i, j]; if absent, c is the output

  const Ref<Buffer>& out() const { return epilogue ? epilogue->buffer : c; }
};

/// Recognises the product, without an epilogue, in a statement annotated {"anchor": "packed_matmul"}. The sums must
/// start from zero: either by the init of the block, or by the preceding statement `before` (may be null), which then
/// belongs to the product.
std::optional<PackedMatmul> read_packed_matmul(const Stmt& stmt, const Stmt& before);
/// Returns `matmul` with the statement `next` as its epilogue; nullopt unless `next` can be vectorized and reads c only
/// at the element that it writes.
std::optional<PackedMatmul> with_epilogue(const PackedMatmul& matmul, const Stmt& next);

/// The blocking parameters of a product.
struct MatmulBlocks {
  int mr = 1;               // rows of the full register tile
  int lanes = 1;            // of one vector
  int64_t k_block = 0;      // steps of k per part; 0: k is not split, and x is read without a copy
  int64_t tiles = 1;        // register tiles per block of rows
  int64_t panel_group = 1;  // panels per task
};
MatmulBlocks choose_blocks(const PackedMatmul& matmul, const Target& target);

}  // namespace sunmao
