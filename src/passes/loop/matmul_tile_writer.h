// MatmulTileWriter: emits the code that computes one register tile of a matrix product with packed weights:
// accumulators, the loop over k, and the store with the epilogue.
#pragma once
#include <functional>

#include "passes/loop/packed_matmul.h"

namespace sunmao {

/// Position of a tile in the result: rows [first_row, first_row + rows), and the columns of the weight panel `panel`.
struct TilePlace {
  int64_t rows;
  Scalar first_row;
  Scalar panel;
};

/// A part of the k loop, which reads the rows of x from a copy. The output holds the partial sums between two parts.
struct TilePart {
  Ref<Buffer> copy;  // (rows, steps of k)
  Scalar copy_row;   // row of `copy` that is the first row of the tile
  Scalar first_step, steps;
  Scalar is_first, is_last;
};

class MatmulTileWriter {
 public:
  MatmulTileWriter(const PackedMatmul& matmul, int lanes) : mm_(matmul), lanes_(lanes) {}

  /// Emits the computation of a tile over the whole range of k, reading x directly.
  Stmt whole(const TilePlace& place) const;
  /// Emits the computation of a tile over one part of the range of k. Rows outside of the matrix (from m on) are
  /// computed but not stored.
  Stmt part(const TilePlace& place, const TilePart& part) const;

 private:
  using Left = std::function<Scalar(const Scalar& row, const Scalar& step)>;
  /// Emits the statement for one element of the tile; `lane` is its column within the tile, `column` its column in the
  /// matrix.
  using Element = std::function<Stmt(const Scalar& row, const Scalar& lane, const Scalar& column)>;
  enum class Mask : uint8_t { None, Columns };

  Ref<Buffer> accumulators(int64_t rows, int64_t copies) const;
  Stmt clear(const Ref<Buffer>& acc) const;
  Stmt walk(const TilePlace& place, const Ref<Buffer>& acc, const Scalar& first_step, const Scalar& steps,
            const Left& left) const;
  Stmt fold_copies(const Ref<Buffer>& acc) const;
  /// Emits vectorized loops that run `element` for every row and column of the tile. Columns outside of the matrix
  /// (from n on) are masked; rows from `row_limit` on, if it is given, are skipped.
  Stmt for_elements(const TilePlace& place, const Scalar& row_limit, const Element& element) const;
  Stmt for_rows(const TilePlace& place, const Scalar& row_limit, Mask mask, const Element& element) const;
  Stmt finish(const TilePlace& place, const Ref<Buffer>& acc, const Scalar& row_limit) const;

  const PackedMatmul& mm_;
  const int lanes_;
};

}  // namespace sunmao
