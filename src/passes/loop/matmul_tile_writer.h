// MatmulTileWriter: emits the loops for one register tile of a packed matrix product: accumulators, the loop over k,
// and the store with the epilogue.
#pragma once
#include <functional>

#include "passes/loop/packed_matmul.h"

namespace sunmao {

/// Position of a tile: `rows` rows from `first_row` on, and the columns of panel `panel`.
struct TilePlace {
  int64_t rows;
  Scalar first_row;
  Scalar panel;
};

/// A range of the k loop that reads a copy of rows of x. Partial sums are kept in the output between parts.
struct TilePart {
  Ref<Buffer> copy;  // (rows, steps of k)
  Scalar copy_row;   // row of `copy` that is the first row of the tile
  Scalar first_step, steps;
  Scalar is_first, is_last;
};

class MatmulTileWriter {
 public:
  MatmulTileWriter(const PackedMatmul& matmul, int lanes) : mm_(matmul), lanes_(lanes) {}

  /// Emits the tile over all of k, reading x directly.
  Stmt whole(const TilePlace& place) const;
  /// Emits the tile over a part of k. Rows from m on are computed but not stored.
  Stmt part(const TilePlace& place, const TilePart& part) const;

 private:
  using Left = std::function<Scalar(const Scalar& row, const Scalar& step)>;
  /// Emits the store of an element; `lane` is the column within the tile, `column` the column of the matrix.
  using Element = std::function<Stmt(const Scalar& row, const Scalar& lane, const Scalar& column)>;
  enum class Mask : uint8_t { None, Columns };

  Ref<Buffer> accumulators(int64_t rows, int64_t copies) const;
  Stmt clear(const Ref<Buffer>& acc) const;
  Stmt walk(const TilePlace& place, const Ref<Buffer>& acc, const Scalar& first_step, const Scalar& steps,
            const Left& left) const;
  Stmt fold_copies(const Ref<Buffer>& acc) const;
  /// Emits `element` for every row and column of the tile in vectors. Columns from n on are masked; rows from
  /// `row_limit` on, if it is given, are skipped.
  Stmt for_elements(const TilePlace& place, const Scalar& row_limit, const Element& element) const;
  Stmt for_rows(const TilePlace& place, const Scalar& row_limit, Mask mask, const Element& element) const;
  Stmt finish(const TilePlace& place, const Ref<Buffer>& acc, const Scalar& row_limit) const;

  const PackedMatmul& mm_;
  const int lanes_;
};

}  // namespace sunmao
