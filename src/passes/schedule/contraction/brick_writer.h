// The brick of a contraction: the loops of one tile, from the beginnings of its sums to the epilogue.
#pragma once
#include "passes/schedule/contraction/contraction_loops.h"

namespace sunmao {

/// What a writer of a contraction emits bricks with.
class BrickWriter : protected ContractionLoops {
 protected:
  using ContractionLoops::ContractionLoops;

  /// Copies of operands, null where they are read in place. A tile begins at `first_row` of the left one.
  struct Copies {
    Ref<Buffer> right, left;
    Scalar first_row = {};
    /// Whether the right operand is copied, where a run decides.
    Scalar has_right = {};
  };
  /// Sums that go from one part of the steps to the next, by their rows and columns; in the output when `sums` is null.
  struct Carried {
    Ref<Buffer> sums;
    Scalar first_row, is_first, is_last;
    Scalar first_column = int_imm(0);
  };

  /// Returns the columns of a vector that are there; null for all.
  static Scalar limit_of(const Columns& columns, const Column& column);
  /// Replaces what a step takes of columns that are not there by 0.
  Scalar there(const Columns& columns, const Column& column, const Scalar& operands) const;
  /// Emits the brick for a part of the steps.
  Stmt brick(const Rows& rows, const Columns& columns, const Part& part, const Copies& copies,
             const std::optional<Carried>& carry = {}) const;
};

}  // namespace sunmao
