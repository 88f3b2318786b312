#include "passes/schedule/contraction/rows_outside.h"

#include <algorithm>
#include <numeric>

#include "loop/walk.h"
#include "passes/schedule/contraction/contraction_loops.h"
#include "passes/schedule/contraction/contraction_sizes.h"
#include "passes/schedule/contraction/step.h"

namespace sunmao {
namespace {

constexpr int64_t kRowsOfSet = 6;  // of the lines that a set of the first cache holds, for rows of a tile

/// True when rows of the left operand lie so that cache sets do not hold a line of each row of a tile.
bool rows_share_cache_sets(const Contraction& c, const Tile& tile) {
  constexpr int64_t kRepeat = 4096;  // bytes: lines at this distance are in one set
  bool share = false;
  for_each_load(c.left, [&](const BufferLoad& load) {
    for (size_t d = 0; d < load.indices.size(); ++d) {
      if (!uses(load.indices[d], *c.loop(*c.row))) continue;
      int64_t distance = load.buffer->dtype.bytes();
      for (size_t inner = d + 1; inner < load.indices.size(); ++inner) {
        const int64_t* size = find_int(load.buffer->shape[inner]);
        distance *= size ? *size : 0;
      }
      const int64_t sets = distance > 0 ? kRepeat / std::gcd(distance, kRepeat) : tile.rows;
      share = share || (tile.rows + sets - 1) / sets > kRowsOfSet;
    }
  });
  return share;
}

/// True when sums may wait in the output for the next part of the steps.
bool can_wait_in_output(const Contraction& c) {
  if (!c.epilogue) return true;
  bool reads_it = false;
  for_each_load(c.epilogue->value, [&](const BufferLoad& l) { reads_it |= l.buffer == c.epilogue->buffer; });
  return !reads_it && c.epilogue->buffer->dtype == c.nest.buffer->dtype && c.nest.buffer != c.epilogue->buffer;
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
        bytes *= std::max<int64_t>(1, c.known_extent(i));
  });
  return bytes;
}

/// Chooses the part of the steps for which rows are copied, so that a cache holds some tiles of them. What a step takes
/// of a row has `bytes` in the copy.
void choose_part_of_rows(const Contraction& c, int64_t bytes, Tile& tile) {
  constexpr int64_t kTilesInCache = 8;
  const int64_t first = c.known_extent(c.steps[0]), of_one = step_count(c) / first * tile.rows * bytes;
  const int64_t most = std::max<int64_t>(1, tile.machine.l2_bytes / 4 / kTilesInCache / of_one);
  const bool can_carry = std::ranges::all_of(c.outer, [&](size_t i) { return uses(c.left, *c.loop(i)); });
  if (first <= most || !can_carry || c.known_extent(c.column) == 0) return;
  const int64_t parts = (first + most - 1) / most;
  tile.part = (first + parts - 1) / parts;
}

/// Returns the steps whose operands a copy of rows holds.
int64_t steps_of_copy(const Contraction& c, const Tile& tile) {
  const int64_t first = c.known_extent(c.steps[0]);
  return step_count(c) / first * (tile.part > 0 ? tile.part : first);
}

}  // namespace

bool copy_rows(const Contraction& c, const Target& target, int64_t rows, int64_t local_bytes, const TileWish& wish,
               Tile& tile) {
  constexpr int64_t kStepsOfPart = 768, kFewestBlocks = 8;
  const bool is_asked_for = wish.order == TileOrder::CopiesRows;
  const int64_t cores = target.machine.cores, enough_tasks = 3 * cores;
  const int64_t steps = step_count(c), columns = c.known_extent(c.column), bytes = left_bytes(c);
  int64_t others = 1;  // of which a run may say how many
  for (size_t i : c.outer)
    if (uses(c.left, *c.loop(i)) && find_int(c.extent(i))) others *= c.known_extent(i);
  const int64_t left = elements_at_least(c, c.left);
  if (!c.row || rows == 0 || columns == 0 || steps == 0 || bytes == 0) return false;
  const int64_t blocks = (columns + tile.columns() - 1) / tile.columns();
  const bool is_large = bytes > target.machine.l2_bytes / 2 && left * step_bytes(c) <= bytes && blocks >= kFewestBlocks;
  const bool is_far = elements(c, c.right) * step_bytes(c) > target.machine.l2_bytes / 2;
  const bool share_sets = rows_share_cache_sets(c, tile);
  if (!is_large && !is_asked_for && !share_sets) return false;
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
  // Where a cache holds what lies at one place of all rows, copies help long rows alone.
  if (!is_asked_for && out.part == 0 && !share_sets && tile.rows <= kRowsOfSet) return false;
  const int64_t most = std::min(tiles, local_bytes / 2 / ((steps_at_once + tile.lanes) * tile.rows * step_bytes(c)));
  if (most == 0) return false;
  int64_t groups = (tiles + most - 1) / most;
  if (groups * others < cores && blocks < 2 * kFewestBlocks) groups = std::min(tiles, (cores + others - 1) / others);
  out.tiles_at_once = (tiles + groups - 1) / groups;
  // A handful of tasks leaves threads idle at the end; fewer than two tiles read the other operand too often. Where
  // that comes from far, all tiles that fit stay together, and its columns are shared out.
  const bool shares_columns = is_far && blocks >= 2 * kFewestBlocks;
  if (!shares_columns && groups * others >= cores && groups * others < enough_tasks)
    out.tiles_at_once = std::min(out.tiles_at_once, std::max<int64_t>(2, tiles * others / enough_tasks));
  groups = (tiles + out.tiles_at_once - 1) / out.tiles_at_once;
  if (groups * others < cores && blocks >= 2 * kFewestBlocks) {
    const int64_t chunks = std::min(blocks / kFewestBlocks, cores);
    out.blocks_at_once = (blocks + chunks - 1) / chunks;
  } else if (groups * others < enough_tasks && blocks >= 2 * kFewestBlocks) {
    out.blocks_at_once = (blocks + 1) / 2;
  }
  // What comes from far when all columns pass for each copy, and when all rows pass for each block of columns. Windows
  // of neighbouring rows overlap.
  const int64_t from_far = std::min(left, bytes / step_bytes(c));
  if (!is_asked_for && groups * others * elements(c, c.right) > 2 * blocks * from_far) return false;
  out.rows_outside = out.packs_left = true;
  tile = out;
  return true;
}

bool group_unknown_rows(const Contraction& c, int64_t local_bytes, Tile& tile) {
  constexpr int64_t kMostTiles = 32, kTilesOfNear = 4;  // where the cache holds all columns
  const int64_t right = elements(c, c.right) * step_bytes(c), row = tile.rows * bytes_of_row(c);
  if (step_count(c) == 0 || right == 0) return false;
  const int64_t columns = c.known_extent(c.column), blocks = (columns + tile.columns() - 1) / tile.columns();
  const bool is_near = right <= tile.machine.l2_bytes / 2;
  if (!is_near) tile.blocks_at_once = (blocks + tile.machine.wanted_tasks() - 1) / tile.machine.wanted_tasks();
  tile.tiles_at_once = std::clamp<int64_t>(tile.machine.l2_bytes / row, 1, is_near ? kTilesOfNear : kMostTiles);
  if (rows_share_cache_sets(c, tile)) {
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

bool widen_rows(const Contraction& c, int64_t rows, int64_t local_bytes, Tile& tile) {
  constexpr int64_t kCopy = 3;            // bytes read and written for each that is copied
  constexpr int64_t kTilesOfUnknown = 8;  // where a run says how many rows there are
  const int64_t of_step = c.bundle ? c.bundle->size * int64_t{sizeof(int16_t)} : c.left->dtype.bytes();
  if (step_count(c) == 0) return false;
  if (rows == 0) rows = kTilesOfUnknown * tile.rows;
  choose_part_of_rows(c, of_step, tile);
  const int64_t bytes = (steps_of_copy(c, tile) + tile.lanes) * tile.rows * of_step;
  const int64_t columns = c.known_extent(c.column), blocks = (columns + tile.columns() - 1) / tile.columns();
  const int64_t tiles = (rows + tile.rows - 1) / tile.rows;
  const Scalar threads = worth_threads(c);
  const int64_t* pays = find_int(threads);
  const int64_t wanted = pays && *pays == 0 ? 1 : tile.machine.wanted_tasks();
  int64_t others = 1, least = 0;
  for (size_t i : c.outer)
    if (uses(c.left, *c.loop(i))) others *= std::max<int64_t>(1, c.known_extent(i));
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
  return tile.rows_outside = tile.packs_left = tile.widens_rows = least > 0;
}

}  // namespace sunmao
