// MatmulTileWriter: the loops of one register tile of a packed matrix product: accumulators, the walk along k, and the
// store with the epilogue.
#pragma once
#include <functional>

#include "passes/loop/packed_matmul.h"

namespace sunmao {

/// One tile: `rows` rows from `first_row` on, and the columns of one panel.
struct TilePlace {
  int64_t rows;
  Scalar first_row;
  Scalar panel;
};

/// Some steps of k, on a copy of rows of x. Sums wait in the output between parts.
struct TilePart {
  Ref<Buffer> copy;  // (rows, steps of k)
  Scalar copy_row;   // its row that is the tile's first
  Scalar first_step, steps;
  Scalar is_first, is_last;
};

class MatmulTileWriter {
 public:
  MatmulTileWriter(const PackedMatmul& matmul, int lanes) : mm_(matmul), lanes_(lanes) {}

  /// All of k at once, straight from x.
  Stmt whole(const TilePlace& place) const;
  /// A part of k. Rows at or beyond m are computed and not stored.
  Stmt part(const TilePlace& place, const TilePart& part) const;

 private:
  using Left = std::function<Scalar(const Scalar& row, const Scalar& step)>;
  /// `lane` counts columns within the tile, `column` within the matrix.
  using Element = std::function<Stmt(const Scalar& row, const Scalar& lane, const Scalar& column)>;
  enum class Mask : uint8_t { None, Columns };

  Ref<Buffer> accumulators(int64_t rows, int64_t copies) const;
  Stmt clear(const Ref<Buffer>& acc) const;
  Stmt walk(const TilePlace& place, const Ref<Buffer>& acc, const Scalar& first_step, const Scalar& steps,
            const Left& left) const;
  Stmt fold_copies(const Ref<Buffer>& acc) const;
  /// For each row and column of the tile, in vectors; columns beyond n are masked, and with a
  /// `row_limit` rows from it on are left out.
  Stmt for_elements(const TilePlace& place, const Scalar& row_limit, const Element& element) const;
  Stmt for_rows(const TilePlace& place, const Scalar& row_limit, Mask mask, const Element& element) const;
  Stmt finish(const TilePlace& place, const Ref<Buffer>& acc, const Scalar& row_limit) const;

  const PackedMatmul& mm_;
  const int lanes_;
};

}  // namespace sunmao
