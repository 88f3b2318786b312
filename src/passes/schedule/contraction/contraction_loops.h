// The loops of a scheduled contraction: over tiles of rows, blocks of columns and steps, and what operands are in them.
#pragma once
#include <functional>

#include "passes/loop/loop_writing.h"
#include "passes/schedule/contraction/brick.h"
#include "passes/schedule/contraction/step.h"
#include "sym/walk.h"

namespace sunmao {

/// Returns whether waking threads pays.
Scalar worth_threads(const Contraction& c);

/// What a writer of a contraction emits loops with.
class ContractionLoops {
 protected:
  ContractionLoops(const Contraction& c, const Tile& tile);

  /// A block of columns: all lanes are columns (`limit` is null), or only those below `limit`.
  struct Columns {
    Scalar first;
    int64_t vectors;
    Scalar limit;
    /// The number of all columns, where a run may say fewer than a block has: then the others are not stored.
    Scalar few = {};
  };
  /// One of the columns of a block.
  struct Column {
    Scalar start, in_vector;  // the lane is their sum; the first is where the vector begins
    Scalar lane, at;          // its number in the block, and among all columns
  };
  struct Rows {
    Scalar first;
    int64_t count;
    bool are_inside = false;  // no row of them is at an edge, where guards fail
    /// Rows behind this one are this one again; null where there are none.
    Scalar last = {};
    /// Where a block of columns that lie in panels passes several tiles: the number of this one, and how many there
    /// are.
    Scalar number = {};
    int64_t tiles = 0;
  };
  struct Step {
    std::vector<Scalar> at = {};  // the numbers of the reduced loops, outermost first
    Scalar flat = int_imm(0);     // its number within the part
    bool is_guarded = false;
    Taken taken = Taken::All;
    Scalar number = int_imm(0);  // its number in the innermost loop
  };
  /// Iterations of the first reduced loop, with all of the others; then whether a bundle of a rest follows, null where
  /// none does.
  struct Part {
    Scalar first, count, has_rest = {};
  };
  using OfRows = std::function<Stmt(const Rows&)>;
  using OfPlacedRows = std::function<Stmt(const Rows&, const Scalar& place)>;
  using OfColumns = std::function<Stmt(const Columns&)>;
  using OfPart = std::function<Stmt(const Part&, const Scalar& is_first, const Scalar& is_last)>;
  using OfStep = std::function<Stmt(const Step&)>;
  /// Steps of the innermost loop that are written out together, at most `most`, and what is emitted before those of an
  /// iteration: a step stands for them, whose number is that of the iteration.
  struct StepGroups {
    int64_t most;
    OfStep before;
  };

  // The last tile starts earlier if the rows are no multiple of its height: it computes some rows again, to the same
  // numbers.
  Scalar row_tiles() const;
  Rows rows_at(const Scalar& tile) const;
  static Scalar row_of(const Rows& rows, const Scalar& r);
  /// Emits the body for a tile of rows; for the first and the last one apart where guards matter, so that what they
  /// leave out is known.
  Stmt for_tile(const Scalar& tile, const OfRows& body) const;
  /// Emits the body for some tiles of rows, with the place of their first row among those of these tiles; for single
  /// rows where a run has too few for a tile.
  Stmt for_tiles(const Scalar& first, const Scalar& count, const OfPlacedRows& body) const;
  Stmt for_written_tile(const Scalar& tile, const OfRows& body) const;
  /// Emits the body for a tile of rows, of which the last has only those that are left: sums that wait in the output
  /// are added to once.
  Stmt for_rest(const Scalar& tile, const OfRows& body) const;
  Stmt for_columns(const Scalar& block, const OfColumns& body) const;
  /// Emits the body for the columns of each vector.
  Stmt for_lanes(const Columns& columns, const std::function<Stmt(const Column&)>& body) const;
  /// Emits the body for the first column of each vector.
  Stmt for_vectors(const Columns& columns, const std::function<Stmt(const Column&)>& body) const;
  /// Emits the body for the columns that one step takes, of each vector: each of them, or the first.
  Stmt for_step_columns(const Columns& columns, const std::function<Stmt(const Column&)>& body) const {
    return at_once_ == 1 ? for_lanes(columns, body) : for_vectors(columns, body);
  }
  Part whole() const;
  /// Emits the body for each part; once where there are no steps.
  Stmt for_parts(const OfPart& body) const;
  Scalar step_count(const Part& part) const;
  /// Returns the iterations of a loop over steps, by its number.
  Scalar step_extent(const Part& part, size_t depth) const;
  /// Emits the loops over the steps in their order.
  Stmt for_steps(const Part& part, const OfStep& body) const { return for_steps(part, body, StepGroups{1, {}}); }
  Stmt for_steps(const Part& part, const OfStep& body, const StepGroups& groups) const;
  /// Emits the loops over the steps but the last.
  Stmt for_windows(const Part& part, const OfStep& body) const;
  Step next_step(const Part& part, const Step& outside, const Scalar& number) const;
  /// Returns whether the guards hold at a place.
  Scalar all_of(const std::vector<Scalar>& guards, const Step& step, const Scalar& row) const;
  /// Some iterations of a loop of the output.
  struct Iterations {
    size_t loop;
    Scalar first;
    int64_t count;
  };
  /// Returns whether the guards hold for some iterations and all taps of a step; null where their ends do not tell.
  Scalar hold_for(const std::vector<Scalar>& guards, const Iterations& at, size_t step) const;
  /// Returns an operand at a place; null for a row or column that it does not depend on.
  Scalar operand(const Scalar& value, const Step& step, const Scalar& row, const Scalar& column) const;
  Scalar left_operand(const Step& step, const Scalar& row, const Columns& columns, const Column& column) const;
  /// Returns the right operand in place. A block of columns is a part of a panel, or some panels.
  Scalar right_operand(const Step& step, const Columns& columns, const Column& column) const;
  /// Emits hints to read the next block of columns soon, a part of it in each tile of rows, for an iteration of the
  /// innermost loop; null where they do not help.
  Stmt prefetch_next(const Rows& rows, const Part& part, const Step& iteration, const Columns& columns) const;
  /// Gives outer loops their numbers in a task.
  Stmt at_outer(const Substitution& at, const Stmt& body) const;
  /// Takes the number of an iteration off the number of a task.
  static Scalar take(Scalar& rest, const Scalar& extent);
  static Scalar if_below(const Scalar& limit, const Scalar& lane, const Scalar& value);

  const Contraction& c_;
  const Tile tile_;
  const int64_t at_once_;  // columns that a step takes
  const Scalar rows_, columns_, blocks_;
  const std::vector<Scalar> row_guards_, step_guards_;

 private:
  /// True when the guards provably hold for all tiles that begin between these rows.
  bool hold_between(int64_t first, int64_t last) const;
  /// Emits the body for each part of as many steps as a run says.
  Stmt for_parts_of_unknown(const OfPart& body) const;
  Stmt for_steps(const Part& part, const OfStep& body, const Step& outside, size_t end, const StepGroups& groups) const;
  /// Emits a loop over as many steps as a run says, of which two are written out together.
  static Stmt for_pairs(const std::string& name, const Scalar& extent, const LoopBody& body);
  /// Returns the guards that depend on the rows or the innermost step, or the others.
  static std::vector<Scalar> guards_of(const Contraction& c, bool of_rows);
};

}  // namespace sunmao
