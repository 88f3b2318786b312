// Register tiles of a contraction: how many rows and columns, and in which order they are computed
// (docs/kernel-families.md).
#pragma once
#include <cstdint>
#include <string>

#include "passes/schedule/contraction/contraction.h"
#include "target/target.h"

namespace sunmao {

/// Rows that pay a copy of columns that lie side by side, but far apart from step to step.
inline constexpr int64_t kRowsThatRepeatReads = 32;

struct Tile {
  Machine machine;        // that it is chosen for
  int64_t lanes = 1;      // of a vector of columns
  int64_t in_vector = 1;  // the columns of a vector; fewer than its lanes where whole groups do not fill it
  int64_t vectors = 1;    // of columns
  int64_t rows = 1;
  int64_t steps_at_once = 1;  // that are written out in the innermost loop, where they fill it
  /// Whether a block of the right operand's columns is packed (copied to scratch) before many rows use it.
  bool packs_right = false;
  /// The extent of a block of the first reduced loop: these iterations are done for all rows and columns at hand before
  /// the next block; 0: the loop is not blocked. Partial sums are carried from block to block in a buffer of
  /// `carried_tiles` tiles, or in the output when rows are the outer loop.
  int64_t part = 0;
  int64_t carried_tiles = 0;
  /// Whether tiles of rows are the outer loop, so that all columns pass over a few of them before the next ones, and
  /// whether these rows are packed before; then for how many blocks of columns, 0 for all.
  bool rows_outside = false;
  bool packs_left = false;
  /// Whether the elements of copied rows are wider than those that they are made of: float32 of float16, and int16 of
  /// bytes, of which a step adds the products of pairs then: to two sums for each column, which are added up behind the
  /// steps.
  bool widens_rows = false;
  bool adds_pairs = false;
  int64_t tiles_at_once = 1;  // of rows
  int64_t blocks_at_once = 0;
  /// Whether there are as many rows as a tile has wherever these loops run, though a run says how many.
  bool fills_rows = false;
  /// Whether the loops are for any numbers of rows, columns and steps, of which a run says at least one: rows, columns
  /// and steps that fill no tile, block or part need no loops of their own, and columns are copied for many rows. Where
  /// no sums are carried, columns of more steps than a part are read in place.
  bool any_sizes = false;
  /// Whether the loop over tiles of rows is unrolled, so that quotients and remainders of rows are constants. All tiles
  /// have about as many rows.
  bool writes_out_rows = false;
  int64_t columns() const { return in_vector * vectors; }
};

/// In which order the operands of a tile are read.
enum class TileOrder : uint8_t { ByCost, InPlace, CopiesColumns, RowsOutside, CopiesRows };

/// What a plan asks for in place of what costs choose; 0: what these choose.
struct TileWish {
  int64_t rows = 0;
  int64_t vectors = 0;  // of columns
  TileOrder order = TileOrder::ByCost;
  int64_t part = 0;  // the most steps of a part of copied rows
};

/// Returns what `rows` rows cost in tiles of this height: a tile's columns cost as much as a row, and rows of the last
/// tile that are computed twice what others do.
int64_t cost_of_rows(int64_t rows, int64_t height);

/// Returns what a tile is, for people and for the texts of plans: `tile 6x2 rows outside`.
std::string text_of(const Tile& tile);

/// Returns the extent of the innermost step where that step is unrolled inside the rows, so that neighbouring rows
/// reuse the vectors that they load; 0 for other contractions.
int64_t window_taps(const Contraction& c);

/// Returns the tile of a contraction with a known number of rows whose loop over tiles is unrolled; nullopt when that
/// would be too much code.
std::optional<Tile> choose_written_tile(const Contraction& c, const Target& target);

/// True when `choose_tile` has a tile for the contraction on every target.
bool has_plan(const Contraction& c);

/// Returns the tile of a contraction; nullopt when other schedules do better. Packed operands and carried sums of a
/// tile take half of `local_bytes` at most, because full and partial blocks of columns have loops of their own. For a
/// wish also where the contraction has no tile in this order.
std::optional<Tile> choose_tile(const Contraction& c, const Target& target, int64_t local_bytes,
                                const TileWish& wish = {});

}  // namespace sunmao
