#include "passes/schedule/contraction/brick.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "loop/walk.h"
#include "passes/loop/vector_axis.h"
#include "passes/schedule/contraction/contraction_loops.h"
#include "passes/schedule/contraction/step.h"

namespace sunmao {
namespace {

constexpr int64_t kFewestColumns = 4, kRowsThatFillTiles = 8;  // fewer of both leave most of a tile empty
constexpr int64_t kRowsThatPayPacking = 8;                     // of columns that are not contiguous
constexpr int64_t kRowsThatRepeatReads = 32;                   // of columns that are, but far apart from step to step
constexpr int64_t kWantedAccumulators = 8;                     // vectors: 4 cycles of latency on 2 units

int64_t known(const Scalar& s) {
  const int64_t* n = find_int(s);
  return n ? *n : 0;
}

/// Returns the product of the extents of those loops that `value` depends on; 0 when one is unknown.
int64_t elements(const Contraction& c, const Scalar& value) {
  int64_t out = 1;
  for (size_t i = 0; i < c.nest.loops.size(); ++i)
    if (uses(value, *c.loop(i)) || (i == c.column && c.panels && value == c.right)) out *= known(c.extent(i));
  return out;
}

/// The same where an extent that a run says counts as one.
int64_t elements_at_least(const Contraction& c, const Scalar& value) {
  int64_t out = 1;
  for (size_t i = 0; i < c.nest.loops.size(); ++i)
    if (uses(value, *c.loop(i)) && find_int(c.extent(i))) out *= known(c.extent(i));
  return out;
}

int64_t step_count(const Contraction& c) {
  int64_t out = 1;
  for (size_t i : c.steps) out *= known(c.extent(i));
  return out;
}

/// Returns the number of rows for which the tiles of all rows cost least.
int64_t choose_rows(int64_t rows, int64_t most) {
  if (rows == 0) return most;
  if (rows <= most) return rows;
  int64_t best = most;
  const auto cost = [&](int64_t height) { return (rows + height - 1) / height * (height + 1); };
  for (int64_t height = most; height * 2 > most; --height)
    if (cost(height) < cost(best)) best = height;
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
  const int64_t first = known(c.extent(c.steps[0])), of_one = bytes / first;
  const int64_t most = packed_bytes(local_bytes) / of_one;
  tile.carried_tiles = tiles_that_wait(c, local_bytes, tile);
  if (most == 0 || rows == 0 || tile.carried_tiles == 0) return false;
  const int64_t parts = (first + most - 1) / most;
  tile.part = (first + parts - 1) / parts;
  return true;
}

/// True when rows of the left operand lie so far apart that few cache sets hold all of a tile.
bool rows_share_cache_sets(const Contraction& c) {
  constexpr int64_t kFewSets = 2048;  // bytes
  bool share = false;
  for_each_load(c.left, [&](const BufferLoad& load) {
    for (size_t d = 0; d < load.indices.size(); ++d) {
      if (!uses(load.indices[d], *c.loop(*c.row))) continue;
      int64_t distance = load.buffer->dtype.bytes();
      for (size_t inner = d + 1; inner < load.indices.size(); ++inner) distance *= known(load.buffer->shape[inner]);
      share = share || (distance > 0 && distance % kFewSets == 0);
    }
  });
  return share;
}

/// Returns the bytes of what the left operand reads at least: a dimension that a run says may have one element.
int64_t left_bytes(const Contraction& c) {
  int64_t bytes = 0;
  for_each_load(c.left, [&](const BufferLoad& load) {
    int64_t of_one = load.buffer->dtype.bytes();
    for (const Scalar& size : load.buffer->shape) of_one *= find_int(size) ? known(size) : 1;
    bytes = std::max(bytes, of_one);
  });
  return bytes;
}

/// True when sums may wait in the output for the next part of the steps.
bool can_wait_in_output(const Contraction& c) {
  if (!c.epilogue) return true;
  bool reads_it = false;
  for_each_load(c.epilogue->value, [&](const BufferLoad& l) { reads_it |= l.buffer == c.epilogue->buffer; });
  return !reads_it && c.epilogue->buffer->dtype == c.nest.buffer->dtype && c.nest.buffer != c.epilogue->buffer;
}

/// Chooses to copy a few tiles of rows of the left operand, for a part of the steps, and to pass many columns over
/// them: where all of that operand is too much for the cache, or its rows share cache sets. False where nothing is won.
bool copy_rows(const Contraction& c, const Target& target, int64_t rows, int64_t local_bytes, const TileWish& wish,
               Tile& tile) {
  constexpr int64_t kStepsOfPart = 768, kFewestBlocks = 8;
  const bool is_asked_for = wish.order == TileOrder::CopiesRows;
  const int64_t cores = target.machine.cores, enough_tasks = 3 * cores;
  const int64_t steps = step_count(c), columns = known(c.extent(c.column)), bytes = left_bytes(c);
  int64_t others = 1;  // of which a run may say how many
  for (size_t i : c.outer)
    if (uses(c.left, *c.loop(i)) && find_int(c.extent(i))) others *= known(c.extent(i));
  const int64_t left = elements_at_least(c, c.left);
  if (!c.row || rows == 0 || columns == 0 || steps == 0 || bytes == 0) return false;
  const int64_t blocks = (columns + tile.columns() - 1) / tile.columns();
  const bool is_large = bytes > target.machine.l2_bytes / 2 && left * step_bytes(c) <= bytes && blocks >= kFewestBlocks;
  if (!is_large && !is_asked_for && !rows_share_cache_sets(c)) return false;
  const int64_t tiles = (rows + tile.rows - 1) / tile.rows;
  if (others == 0 || blocks < 2) return false;
  int64_t steps_at_once = steps;
  Tile out = tile;
  const int64_t longest = wish.part > 0 ? wish.part : kStepsOfPart;
  if ((is_large || wish.part > 0) && c.steps.size() == 1 && steps > longest && can_wait_in_output(c)) {
    int64_t parts = (steps + longest - 1) / longest;
    for (int64_t more = parts; more < 2 * parts; ++more)
      if (steps % (4 * more) == 0) {  // parts of one size, which groups of steps fill
        parts = more;
        break;
      }
    steps_at_once = out.part = (steps + parts - 1) / parts;
  }
  const int64_t most = std::min(tiles, local_bytes / 2 / ((steps_at_once + tile.lanes) * tile.rows * step_bytes(c)));
  if (most == 0) return false;
  int64_t groups = (tiles + most - 1) / most;
  if (groups * others < cores && blocks < 2 * kFewestBlocks) groups = std::min(tiles, (cores + others - 1) / others);
  out.tiles_at_once = (tiles + groups - 1) / groups;
  // A handful of tasks leaves threads idle at the end; fewer than two tiles read the other operand too often.
  if (groups * others >= cores && groups * others < enough_tasks)
    out.tiles_at_once = std::min(out.tiles_at_once, std::max<int64_t>(2, tiles * others / enough_tasks));
  groups = (tiles + out.tiles_at_once - 1) / out.tiles_at_once;
  if (groups * others < cores && blocks >= 2 * kFewestBlocks) {
    const int64_t chunks = std::min(blocks / kFewestBlocks, cores);
    out.blocks_at_once = (blocks + chunks - 1) / chunks;
  } else if (groups * others < enough_tasks && blocks >= 2 * kFewestBlocks) {
    out.blocks_at_once = (blocks + 1) / 2;
  }
  // What comes from far when all columns pass for each copy, and when all rows pass for each block of columns.
  if (!is_asked_for && groups * others * elements(c, c.right) > 2 * blocks * left) return false;
  out.rows_outside = out.packs_left = true;
  tile = out;
  return true;
}

/// Returns the bytes that a row of the left operand has of its own: windows of neighbouring rows overlap.
int64_t bytes_of_row(const Contraction& c) {
  const auto moves_rows = [&](const Scalar& index) {
    return uses(index, *c.loop(*c.row)) ||
           std::ranges::any_of(c.outer, [&](size_t i) { return uses(index, *c.loop(i)); });
  };
  int64_t bytes = step_bytes(c);
  for_each_load(c.left, [&](const BufferLoad& load) {
    for (size_t i : c.steps)
      if (std::ranges::any_of(load.indices, [&](const Scalar& x) { return uses(x, *c.loop(i)) && !moves_rows(x); }))
        bytes *= std::max<int64_t>(1, known(c.extent(i)));
  });
  return bytes;
}

/// Chooses the part of the steps for which rows are copied, so that a cache holds some tiles of them. What a step takes
/// of a row has `bytes` in the copy.
void choose_part_of_rows(const Contraction& c, int64_t bytes, Tile& tile) {
  constexpr int64_t kTilesInCache = 8;
  const int64_t first = known(c.extent(c.steps[0])), of_one = step_count(c) / first * tile.rows * bytes;
  const int64_t most = std::max<int64_t>(1, tile.machine.l2_bytes / 4 / kTilesInCache / of_one);
  const bool can_carry = std::ranges::all_of(c.outer, [&](size_t i) { return uses(c.left, *c.loop(i)); });
  if (first <= most || !can_carry || known(c.extent(c.column)) == 0) return;
  const int64_t parts = (first + most - 1) / most;
  tile.part = (first + parts - 1) / parts;
}

/// Returns the steps whose operands a copy of rows holds.
int64_t steps_of_copy(const Contraction& c, const Tile& tile) {
  const int64_t first = known(c.extent(c.steps[0]));
  return step_count(c) / first * (tile.part > 0 ? tile.part : first);
}

/// Chooses how many tiles of as many rows as a run says all columns pass over, and for how many blocks of columns: rows
/// stay in the cache while the columns pass, which are read again for the next rows unless a cache holds them all.
bool group_unknown_rows(const Contraction& c, int64_t local_bytes, Tile& tile) {
  constexpr int64_t kMostTiles = 32, kTilesOfNear = 4;  // where the cache holds all columns
  const int64_t right = elements(c, c.right) * step_bytes(c), row = tile.rows * bytes_of_row(c);
  if (step_count(c) == 0 || right == 0) return false;
  const int64_t columns = known(c.extent(c.column)), blocks = (columns + tile.columns() - 1) / tile.columns();
  const bool is_near = right <= tile.machine.l2_bytes / 2;
  if (!is_near) tile.blocks_at_once = (blocks + tile.machine.wanted_tasks() - 1) / tile.machine.wanted_tasks();
  tile.tiles_at_once = std::clamp<int64_t>(tile.machine.l2_bytes / row, 1, is_near ? kTilesOfNear : kMostTiles);
  if (rows_share_cache_sets(c)) {
    Tile copied = tile;
    choose_part_of_rows(c, step_bytes(c), copied);
    const int64_t in_task = (tile.blocks_at_once > 0 ? tile.blocks_at_once : blocks) * tile.columns();
    const int64_t bytes = tile.rows * ((steps_of_copy(c, copied) + tile.lanes) * step_bytes(c) +
                                       (copied.part > 0 ? in_task * c.nest.buffer->dtype.bytes() : 0));
    if (const int64_t fitting = local_bytes / 4 * 3 / bytes; fitting > 0) {
      tile = copied;
      tile.packs_left = true;
      tile.tiles_at_once = copied.part > 0 ? fitting : std::min(tile.tiles_at_once, fitting);
    }
  }
  return tile.rows_outside = true;
}

/// Chooses how many tiles of rows are copied as int16 before columns pass over them, and how many blocks of columns
/// these are; false where one tile is too long. Rows are copied for each chunk of blocks, and all columns are read for
/// each group of tiles.
bool widen_rows(const Contraction& c, int64_t rows, int64_t local_bytes, Tile& tile) {
  constexpr int64_t kCopy = 3;            // bytes read and written for each that is copied
  constexpr int64_t kTilesOfUnknown = 8;  // where a run says how many rows there are
  const int64_t of_step = c.bundle->size * int64_t{sizeof(int16_t)};
  if (step_count(c) == 0) return false;
  if (rows == 0) rows = kTilesOfUnknown * tile.rows;
  choose_part_of_rows(c, of_step, tile);
  const int64_t bytes = (steps_of_copy(c, tile) + tile.lanes) * tile.rows * of_step;
  const int64_t columns = known(c.extent(c.column)), blocks = (columns + tile.columns() - 1) / tile.columns();
  const int64_t tiles = (rows + tile.rows - 1) / tile.rows;
  const Scalar threads = worth_threads(c);
  const int64_t* pays = find_int(threads);
  const int64_t wanted = pays && *pays == 0 ? 1 : tile.machine.wanted_tasks();
  int64_t others = 1, least = 0;
  for (size_t i : c.outer)
    if (uses(c.left, *c.loop(i))) others *= std::max<int64_t>(1, known(c.extent(i)));
  for (int64_t at_once = 1; at_once <= std::max<int64_t>(1, tiles); ++at_once) {
    const int64_t groups = std::max<int64_t>(1, (tiles + at_once - 1) / at_once) * others;
    const int64_t chunks = std::clamp<int64_t>((wanted + groups - 1) / groups, 1, std::max<int64_t>(1, blocks));
    const int64_t blocks_each = (blocks + chunks - 1) / chunks;
    const int64_t sums = at_once * tile.rows * blocks_each * tile.columns() * c.nest.buffer->dtype.bytes();
    const bool is_near = at_once * bytes <= tile.machine.l2_bytes / 4 || at_once == 1;
    if (!is_near || at_once * bytes + (tile.part > 0 ? sums : 0) > local_bytes / 2) break;
    const int64_t cost = chunks * kCopy * rows * others + groups * columns;
    if (least > 0 && cost >= least) continue;
    least = std::max<int64_t>(1, cost);
    tile.tiles_at_once = at_once;
    tile.blocks_at_once = chunks > 1 ? blocks_each : 0;
  }
  return tile.rows_outside = tile.packs_left = tile.adds_pairs = least > 0;
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

/// Chooses the vectors of columns; nullopt where columns fill none.
std::optional<Tile> tile_of_registers(const Contraction& c, const Target& target, const TileWish& wish = {},
                                      bool adds_pairs = false) {
  Tile tile{
      .machine = target.machine, .lanes = lanes_in_panel(c, step_lanes(c, target)), .adds_pairs = adds_pairs};
  tile.in_vector = c.groups ? tile.lanes / c.groups->width * c.groups->width : tile.lanes;
  const int64_t columns = known(c.extent(c.column)), rows = c.row ? known(c.extent(*c.row)) : 1;
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
  fit_panels(c, tile);
  return tile;
}

/// Returns the tile whose steps add products of pairs; nullopt for other contractions and targets.
std::optional<Tile> choose_tile_of_pairs(const Contraction& c, const Target& target, int64_t local_bytes,
                                         const TileWish& wish) {
  if (!adds_pairs(c, target) || !are_columns_side_by_side(c)) return std::nullopt;
  std::optional<Tile> tile = tile_of_registers(c, target, wish, true);
  if (!tile) return std::nullopt;
  const int64_t rows = c.row ? known(c.extent(*c.row)) : 1;
  tile->rows = choose_height(rows, rows_in_registers(c, target, *tile), wish);
  return widen_rows(c, rows, local_bytes, *tile) ? tile : std::nullopt;
}

}  // namespace

std::string text_of(const Tile& t) {
  std::string out = fmt::format("tile {}x{}", t.rows, t.vectors);
  if (t.adds_pairs) out += " in pairs";
  if (t.packs_right) out += " columns copied";
  if (t.rows_outside) out += " rows outside";
  if (t.packs_left && !t.adds_pairs) out += " copied";
  if (t.part > 0) out += fmt::format(" part {}", t.part);
  if (t.tiles_at_once > 1) out += fmt::format(" tiles {}", t.tiles_at_once);
  if (t.blocks_at_once > 0) out += fmt::format(" blocks {}", t.blocks_at_once);
  if (t.writes_out_rows) out += " written out";
  return out;
}

int64_t window_taps(const Contraction& c) {
  constexpr int64_t kMost = 16;
  const int64_t taps = c.is_left_vector && !c.steps.empty() ? known(c.extent(c.steps.back())) : 0;
  return taps <= kMost ? taps : 0;
}

std::optional<Tile> choose_written_tile(const Contraction& c, const Target& target) {
  constexpr int64_t kMostRows = 64, kMostVectors = 160;  // sums that are written out
  const int64_t rows = c.row ? known(c.extent(*c.row)) : 0;
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
    if (std::optional<Tile> of_pairs = choose_tile_of_pairs(c, target, local_bytes, wish)) return of_pairs;
  std::optional<Tile> found = tile_of_registers(c, target, wish);
  if (!found) return std::nullopt;
  Tile& tile = *found;
  const int64_t rows = c.row ? known(c.extent(*c.row)) : 1;
  tile.rows = choose_height(rows, rows_in_registers(c, target, tile), wish);

  const bool can_repeat = c.row && (rows == 0 || rows >= kRowsThatPayPacking);
  const bool can_pack = can_repeat && choose_part(c, rows, local_bytes, tile);
  const int64_t left = elements_at_least(c, c.left) * step_bytes(c), right = elements(c, c.right) * step_bytes(c);
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
