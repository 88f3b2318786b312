// PackedMatmul: a matrix product on packed weights as it is found in a function, and the numbers by which it is cut
// into blocks. It rewrites nothing.
#pragma once
#include <optional>

#include "passes/loop/store_nest.h"
#include "support/target.h"

namespace sunmao {

/// c[i, j] = sum over k of x[i, k] * w[j / nr, k, j % nr], and what is done to each c[i, j] afterwards.
struct PackedMatmul {
  Ref<Buffer> x, w, c;
  Scalar m, n, k, panels;
  int nr = 0;
  bool takes_before = false;          // the statement ahead of it only clears c
  std::optional<StoreNest> epilogue;  // stores out[i, j] from c[i, j]; without one, c is the output

  const Ref<Buffer>& out() const { return epilogue ? epilogue->buffer : c; }
};

/// The product that `stmt` computes when it is annotated {"anchor": "packed_matmul"}, without epilogue. Sums start from
/// zero: by the block's own initial value or by the statement `before` it (may be null), which is then part of it.
std::optional<PackedMatmul> read_packed_matmul(const Stmt& stmt, const Stmt& before);
/// `matmul` with `next` as its epilogue, when `next` reads c at its own element alone and has a vector form.
std::optional<PackedMatmul> with_epilogue(const PackedMatmul& matmul, const Stmt& next);

/// How the loops are cut.
struct MatmulBlocks {
  int mr = 1;               // rows of the full register tile
  int lanes = 1;            // of one vector
  int64_t k_block = 0;      // steps of k at a time; 0: all of them, without a copy of the left block
  int64_t tiles = 1;        // row tiles in a block of rows
  int64_t panel_group = 1;  // panels that one task goes through
};
MatmulBlocks choose_blocks(const PackedMatmul& matmul, const Target& target);

}  // namespace sunmao
