// Plans of a tile in which tiles of rows are the outer loop: how many of them all columns pass over, which of them are
// copied before, and for which part of the steps.
#pragma once
#include "passes/schedule/contraction/brick.h"

namespace sunmao {

/// Chooses to copy a few tiles of rows of the left operand, for a part of the steps, and to pass many columns over
/// them: where all of that operand is too much for the cache, or its rows share cache sets. False where nothing is won.
bool copy_rows(const Contraction& c, const Target& target, int64_t rows, int64_t local_bytes, const TileWish& wish,
               Tile& tile);

/// Chooses how many tiles of as many rows as a run says all columns pass over, and for how many blocks of columns: rows
/// stay in the cache while the columns pass, which are read again for the next rows unless a cache holds them all.
bool group_unknown_rows(const Contraction& c, int64_t local_bytes, Tile& tile);

/// Chooses how many tiles of rows are copied with wider elements before columns pass over them, and how many blocks of
/// columns these are; false where one tile is too long. Rows are copied for each chunk of blocks, and all columns are
/// read for each group of tiles.
bool widen_rows(const Contraction& c, int64_t rows, int64_t local_bytes, Tile& tile);

}  // namespace sunmao
