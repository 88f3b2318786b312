#include "passes/schedule/contraction/brick.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "loop/walk.h"
#include "passes/loop/vector_axis.h"
#include "passes/schedule/contraction/contraction_sizes.h"
#include "passes/schedule/contraction/rows_outside.h"
#include "passes/schedule/contraction/step.h"

namespace sunmao {
namespace {

constexpr int64_t kFewestColumns = 4, kRowsThatFillTiles = 8;  // fewer of both leave most of a tile empty
constexpr int64_t kRowsThatPayPacking = 8;                     // of columns that are not contiguous
constexpr int64_t kWantedAccumulators = 8;                     // vectors: 4 cycles of latency on 2 units

/// Returns the number of rows for which the tiles of all rows cost least.
int64_t choose_rows(int64_t rows, int64_t most) {
  if (rows == 0) return most;
  if (rows <= most) return rows;
  int64_t best = most;
  for (int64_t height = most; height * 2 > most; --height)
    if (cost_of_rows(rows, height) < cost_of_rows(rows, best)) best = height;
  return best;
}

/// Returns the rows that a plan asks for as far as registers hold them, else those that cost least.
int64_t choose_height(int64_t rows, int64_t most, const TileWish& wish) {
  if (wish.rows == 0) return choose_rows(rows, most);
  return std::min({wish.rows, most, rows > 0 ? rows : most});
}

/// Returns the lanes of vectors that lie within a panel.
int64_t lanes_in_panel(const Contraction& c, int64_t lanes) {
  while (c.panels && c.panels->width % lanes != 0) lanes /= 2;
  return lanes;
}

/// Makes a block of columns a part of a panel, or some panels.
void fit_panels(const Contraction& c, Tile& tile) {
  if (!c.panels) return;
  const int64_t in_panel = c.panels->width / tile.lanes;
  if (tile.vectors >= in_panel)
    tile.vectors -= tile.vectors % in_panel;
  else
    while (in_panel % tile.vectors != 0) ++tile.vectors;
}

int64_t packed_bytes(int64_t local_bytes) { return local_bytes / 3; }

/// Returns how many tiles of sums wait for the next part of the steps, of what packed columns leave.
int64_t tiles_that_wait(const Contraction& c, int64_t local_bytes, const Tile& tile) {
  return (local_bytes / 2 - packed_bytes(local_bytes)) / (tile.rows * tile.columns() * c.nest.buffer->dtype.bytes());
}

/// Chooses the part of the steps whose columns are copied together; false when there is none that caches hold.
bool choose_part(const Contraction& c, int64_t rows, int64_t local_bytes, Tile& tile) {
  const int64_t bytes = step_count(c) * tile.columns() * step_bytes(c);
  if (c.bundle && c.bundle->steps) {
    tile.part = packed_bytes(local_bytes) / (tile.columns() * step_bytes(c));
    tile.carried_tiles = tiles_that_wait(c, local_bytes, tile);
    return tile.part > 0 && tile.carried_tiles > 0;
  }
  if (bytes == 0) return false;
  if (bytes <= packed_bytes(local_bytes)) return true;
  const int64_t first = c.known_extent(c.steps[0]), of_one = bytes / first;
  const int64_t most = packed_bytes(local_bytes) / of_one;
  tile.carried_tiles = tiles_that_wait(c, local_bytes, tile);
  if (most == 0 || rows == 0 || tile.carried_tiles == 0) return false;
  const int64_t parts = (first + most - 1) / most;
  tile.part = (first + parts - 1) / parts;
  return true;
}

/// Chooses to copy columns for tiles of as many rows, columns or steps as a run says; false for other contractions.
bool choose_any_sizes(const Contraction& c, int64_t rows, int64_t local_bytes, Tile& tile) {
  constexpr int64_t kTilesOfTask = 32;    // of rows, for which columns are copied once
  constexpr int64_t kStepsOfUnknown = 2;  // they are written out twice, for columns in place and copied
  const int64_t first = c.known_extent(c.steps[0]), steps = step_count(c);
  const bool are_known = rows > 0 && steps > 0 && c.known_extent(c.column) > 0;
  if (are_known || !c.row || c.panels || c.groups || c.bundle || !is_multiply_add(c) || is_computed(c.right))
    return false;
  if ((rows > 0 && rows < kRowsThatRepeatReads) || (steps == 0 && !has_unknown_steps(c))) return false;
  const int64_t of_one = tile.columns() * step_bytes(c) * (steps > 0 ? steps / first : 1);
  const int64_t most = packed_bytes(local_bytes) / of_one, waiting = tiles_that_wait(c, local_bytes, tile);
  if (most == 0 || waiting == 0) return false;
  // Columns that fill blocks may be read in place as well, where there are more steps than a copy holds.
  tile.tiles_at_once = std::min(waiting, kTilesOfTask);
  tile.carried_tiles = c.known_extent(c.column) >= tile.columns() && steps == 0 ? 0 : tile.tiles_at_once;
  const int64_t parts = first > 0 ? (first + most - 1) / most : 0;
  tile.part = parts == 0 ? most : parts > 1 ? (first + parts - 1) / parts : 0;
  tile.steps_at_once = std::min(tile.steps_at_once, kStepsOfUnknown);
  return tile.packs_right = tile.any_sizes = true;
}

/// Returns the rows whose sums registers hold beside what a step needs.
int64_t rows_in_registers(const Contraction& c, const Target& target, const Tile& tile) {
  if (tile.adds_pairs) return std::max<int64_t>(1, (target.isa.vector_registers - 2) / (2 * tile.vectors) - 1);
  int64_t others = 2 + tile.vectors;  // registers
  if (const int64_t taps = window_taps(c); taps > 0)
    others = std::min<int64_t>(2 * taps + 1, target.isa.vector_registers - 4);
  others += step_registers(c, target, tile.vectors);
  return std::max<int64_t>(1, std::min<int64_t>(16, (target.isa.vector_registers - others) / tile.vectors));
}

/// Returns how many steps are written out together. Where registers hold the sums of a small tile, its multiply-adds
/// take as long as the other instructions of a step, and a loop's own count.
int64_t steps_written_out(const Contraction& c, const Target& target) {
  constexpr int64_t kSteps = 4;
  return is_multiply_add(c) && has_few_registers(target) ? kSteps : 1;
}

/// Chooses the vectors of columns; nullopt where columns fill none.
std::optional<Tile> tile_of_registers(const Contraction& c, const Target& target, const TileWish& wish = {},
                                      bool adds_pairs = false) {
  Tile tile{.machine = target.machine, .lanes = lanes_in_panel(c, step_lanes(c, target)), .adds_pairs = adds_pairs};
  tile.in_vector = c.groups ? tile.lanes / c.groups->width * c.groups->width : tile.lanes;
  const int64_t columns = c.known_extent(c.column), rows = c.row ? c.known_extent(*c.row) : 1;
  if (tile.lanes < 2 || tile.in_vector == 0 ||
      (columns > 0 && columns < kFewestColumns && rows > 0 && rows < kRowsThatFillTiles))
    return std::nullopt;
  if (c.is_left_vector && !is_near(c.left, c.loop(c.column), kFarthest)) return std::nullopt;
  const int64_t needed = tile.in_vector < tile.lanes ? 1
                         : columns > 0               ? (columns + tile.lanes - 1) / tile.lanes
                                                     : kWantedAccumulators;
  const int64_t sums = adds_pairs ? 2 : 1;  // of a column
  const int64_t few = rows > 0 && rows < 4 ? std::max<int64_t>(1, kWantedAccumulators / sums / rows)
                                           : (c.is_left_vector ? 1 : 2 / sums);
  tile.vectors = std::min(needed, wish.vectors > 0 ? wish.vectors : few);
  tile.steps_at_once = steps_written_out(c, target);
  fit_panels(c, tile);
  return tile;
}

/// Returns the tile whose rows are copied with wider elements; nullopt for other contractions and targets.
std::optional<Tile> choose_tile_of_wide_rows(const Contraction& c, const Target& target, int64_t local_bytes,
                                             const TileWish& wish) {
  const bool pairs = adds_pairs(c, target);
  const bool are_plain = !c.is_left_vector && !c.groups && c.guards.empty() && !is_computed(c.right);
  if (!(pairs || (converts_left(c) && are_plain)) || !are_columns_side_by_side(c)) return std::nullopt;
  std::optional<Tile> tile = tile_of_registers(c, target, wish, pairs);
  if (!tile || !has_vector_step(c, tile->lanes)) return std::nullopt;
  const int64_t rows = c.row ? c.known_extent(*c.row) : 1;
  tile->rows = choose_height(rows, rows_in_registers(c, target, *tile), wish);
  return widen_rows(c, rows, local_bytes, *tile) ? tile : std::nullopt;
}

}  // namespace

int64_t cost_of_rows(int64_t rows, int64_t height) { return (rows + height - 1) / height * (height + 1); }

std::string text_of(const Tile& t) {
  std::string out = fmt::format("tile {}x{}", t.rows, t.vectors);
  if (t.adds_pairs) out += " in pairs";
  if (t.packs_right) out += " columns copied";
  if (t.rows_outside) out += " rows outside";
  if (t.packs_left && !t.adds_pairs) out += t.widens_rows ? " widened" : " copied";
  if (t.part > 0) out += fmt::format(" part {}", t.part);
  if (t.tiles_at_once > 1) out += fmt::format(" tiles {}", t.tiles_at_once);
  if (t.blocks_at_once > 0) out += fmt::format(" blocks {}", t.blocks_at_once);
  if (t.writes_out_rows) out += " written out";
  return out;
}

int64_t window_taps(const Contraction& c) {
  constexpr int64_t kMost = 16;
  const int64_t taps = c.is_left_vector && !c.steps.empty() ? c.known_extent(c.steps.back()) : 0;
  return taps <= kMost ? taps : 0;
}

std::optional<Tile> choose_written_tile(const Contraction& c, const Target& target) {
  constexpr int64_t kMostRows = 64, kMostVectors = 160;  // sums that are written out
  const int64_t rows = c.row ? c.known_extent(*c.row) : 0;
  if (rows == 0 || rows > kMostRows || c.is_left_vector || !are_columns_side_by_side(c)) return std::nullopt;
  std::optional<Tile> tile = tile_of_registers(c, target);
  if (!tile || !has_vector_step(c, tile->lanes) || rows * tile->vectors > kMostVectors) return std::nullopt;
  const int64_t most = rows_in_registers(c, target, *tile), tiles = (rows + most - 1) / most;
  tile->rows = (rows + tiles - 1) / tiles;
  tile->writes_out_rows = true;
  return tile;
}

bool has_plan(const Contraction& c) {
  const int64_t columns = c.known_extent(c.column), rows = c.row ? c.known_extent(*c.row) : 1;
  const bool fills_tiles = columns == 0 || columns >= kFewestColumns || rows == 0 || rows >= kRowsThatFillTiles;
  return fills_tiles && !c.is_left_vector && !c.groups && are_columns_side_by_side(c) &&
         has_vector_step(c, kFewestLanes);
}

std::optional<Tile> choose_tile(const Contraction& c, const Target& target, int64_t local_bytes, const TileWish& wish) {
  const auto may_be = [&](TileOrder order) { return wish.order == TileOrder::ByCost || wish.order == order; };
  if (may_be(TileOrder::CopiesRows))
    if (std::optional<Tile> wide = choose_tile_of_wide_rows(c, target, local_bytes, wish)) return wide;
  std::optional<Tile> found = tile_of_registers(c, target, wish);
  if (!found) return std::nullopt;
  Tile& tile = *found;
  const int64_t rows = c.row ? c.known_extent(*c.row) : 1;
  tile.rows = choose_height(rows, rows_in_registers(c, target, tile), wish);

  const bool can_repeat = c.row && (rows == 0 || rows >= kRowsThatPayPacking);
  const bool can_pack = can_repeat && choose_part(c, rows, local_bytes, tile);
  const int64_t left = std::min(elements_at_least(c, c.left) * step_bytes(c), left_bytes(c));
  const int64_t right = elements(c, c.right) * step_bytes(c);
  if (!are_columns_side_by_side(c)) {
    tile.packs_right = true;
    return can_pack && !c.panels && may_be(TileOrder::CopiesColumns) ? found : std::nullopt;
  }
  if (!has_vector_step(c, tile.lanes) || (c.bundle && c.bundle->steps)) return std::nullopt;
  if (c.is_left_vector) return may_be(TileOrder::InPlace) ? found : std::nullopt;
  const int64_t part_of_columns = std::exchange(tile.part, 0);
  if (c.row && rows == 0 && may_be(TileOrder::RowsOutside) && !is_computed(c.right) &&
      group_unknown_rows(c, local_bytes, tile))
    return tile;
  if (may_be(TileOrder::CopiesRows) && copy_rows(c, target, rows, local_bytes, wish, tile)) return tile;
  if (may_be(TileOrder::CopiesColumns)) {
    Tile any = tile;
    if (choose_any_sizes(c, rows, local_bytes, any)) return any;
  }
  const bool reads_rows_once = c.row && left > target.machine.l2_bytes / 2 && right > 0 && right < left &&
                               rows >= target.machine.cores * tile.rows;
  const bool pays = is_computed(c.right) ? rows == 0 || rows > tile.rows : !c.panels && rows >= kRowsThatRepeatReads;
  switch (wish.order) {
    case TileOrder::ByCost:
      tile.rows_outside = reads_rows_once;
      tile.packs_right = !tile.rows_outside && can_pack && pays;
      break;
    case TileOrder::InPlace: break;
    case TileOrder::CopiesColumns:
      if (!can_pack || c.panels) return std::nullopt;
      tile.packs_right = true;
      break;
    case TileOrder::RowsOutside:
      if (!c.row || rows < 2 * tile.rows) return std::nullopt;
      tile.rows_outside = true;
      break;
    case TileOrder::CopiesRows: return std::nullopt;
  }
  if (tile.packs_right) tile.part = part_of_columns;
  return tile;
}

}  // namespace sunmao
