// Tiles: how a contraction is cut into pieces that registers hold.
#pragma once
#include <cstdint>

#include "passes/schedule/contraction/contraction.h"
#include "target/target.h"

namespace sunmao {

struct Tile {
  Machine machine;        // that it is chosen for
  int64_t lanes = 1;      // of a vector of columns
  int64_t in_vector = 1;  // the columns of a vector; fewer than its lanes where groups do not fill it
  int64_t vectors = 1;    // of columns
  int64_t rows = 1;
  /// Whether the right operand's columns are copied before they are used for many rows.
  bool packs_right = false;
  /// Iterations of the first reduced loop that are done for all rows and columns at hand before the next ones; 0 for
  /// all. The sums go from one part to the next in `carried_tiles` of rows, or in the output when rows are outside.
  int64_t part = 0;
  int64_t carried_tiles = 0;
  /// Whether all columns are computed for a few tiles of rows before the next ones, and whether their rows are copied
  /// before; then for how many blocks of columns, 0 for all.
  bool rows_outside = false;
  bool packs_left = false;
  int64_t tiles_at_once = 1;  // of rows
  int64_t blocks_at_once = 0;
  /// Whether each tile of rows is written out, so that quotients and remainders of rows are known numbers. All tiles
  /// have about as many rows.
  bool writes_out_rows = false;
  int64_t columns() const { return in_vector * vectors; }
};

/// Returns the extent of the innermost step where all of them are written out for a row before the next row, so that
/// neighbouring rows share what they read; 0 for other contractions.
int64_t window_taps(const Contraction& c);

/// Returns how to cut a contraction of a known number of rows into tiles that are written out; nullopt when these would
/// be too much code.
std::optional<Tile> choose_written_tile(const Contraction& c, const Target& target);

/// Returns how to cut the contraction; nullopt when other schedules do better. Copies and carried sums of a tile take
/// half of `local_bytes` at most: there are loops for full and for partial blocks of columns.
std::optional<Tile> choose_tile(const Contraction& c, const Target& target, int64_t local_bytes);

}  // namespace sunmao
