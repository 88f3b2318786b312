#include "passes/schedule/contraction/contraction_writer.h"

#include <algorithm>

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/loop_writing.h"
#include "passes/schedule/contraction/brick_writer.h"
#include "passes/schedule/contraction/step.h"
#include "passes/schedule/map/vector_tile.h"

namespace sunmao {
namespace {

constexpr int64_t kTilesPerCopy = 4;    // of rows, that pay for a copy of the columns
constexpr int64_t kMostTurned = 8;      // vectors, which registers hold
constexpr int64_t kTilesThatFetch = 2;  // of rows, the next columns, where a run says how many there are

class ContractionWriter : private BrickWriter {
 public:
  ContractionWriter(const Contraction& c, const Tile& tile) : BrickWriter(c, tile) {}

  Stmt run() const {
    if (c_.bundle && c_.bundle->steps) return columns_of_unknown_steps();
    return tile_.rows_outside ? rows_outside() : columns_outside();
  }

 private:
  /// Threads take blocks of columns, and parts of the rows where there are too few of these; all rows of a part follow
  /// on the packed columns.
  Stmt columns_outside() const {
    Scalar tasks = blocks_;
    for (size_t i : c_.outer) tasks = product(tasks, as_index(c_.extent(i)));
    const Scalar tiles = row_tiles();
    const int64_t *known = find_int(tasks), *all_tiles = find_int(tiles);
    int64_t parts = 1;
    if (known && all_tiles && *known > 0 && *known < tile_.machine.wanted_tasks())
      parts = std::clamp<int64_t>((tile_.machine.wanted_tasks() + *known - 1) / *known, 1,
                                  std::max<int64_t>(1, tile_.packs_right ? *all_tiles / kTilesPerCopy : *all_tiles));
    if (tile_.part > 0) parts = std::max(parts, (*all_tiles + tile_.carried_tiles - 1) / tile_.carried_tiles);
    const int64_t tiles_each = parts > 1 ? (*all_tiles + parts - 1) / parts : 0;
    return parallel_loop("task", product(int_imm(parts), tasks), worth_threads(c_), [&](const Scalar& task) {
      Scalar rest = task, block, part;
      Substitution at;
      // What reads the same columns comes next where these come from far.
      const bool keeps_columns = is_right_larger();
      if (keeps_columns)
        part = take(rest, int_imm(parts));
      else
        block = take(rest, blocks_);
      for (size_t i = c_.outer.size(); i-- > 0;) take_loop(rest, c_.outer[i], at);
      (keeps_columns ? block : part) = rest;
      const Scalar first = parts > 1 ? product(part, int_imm(tiles_each)) : int_imm(0);
      const Scalar count = parts > 1 ? min(int_imm(tiles_each), tiles - first) : tiles;
      Stmt body = for_columns(block, [&](const Columns& columns) {
        if (tile_.part > 0) return in_parts(columns, first, count, parts > 1 ? tiles_each : *all_tiles);
        return with_packed(columns, whole(), [&](const Ref<Buffer>& packed) {
          const auto brick = [&](Rows rows) {
            rows.tiles = parts > 1 ? tiles_each : all_tiles ? *all_tiles : 0;
            return this->brick(rows, columns, whole(), {.right = packed, .left = nullptr});
          };
          return for_tiles(first, count, [&](const Rows& rows, const Scalar&) { return brick(rows); });
        });
      });
      return at_outer(at, body);
    });
  }

  /// The same where a run says how many steps there are: these pass in parts, for so many rows that their sums wait.
  Stmt columns_of_unknown_steps() const {
    const Scalar tiles = ceil_div(rows_, tile_.rows);
    Scalar tasks = product(ceil_div(tiles, tile_.carried_tiles), blocks_);
    for (size_t i : c_.outer) tasks = product(tasks, as_index(c_.extent(i)));
    return parallel_loop("task", tasks, worth_threads(c_), [&](const Scalar& task) {
      Scalar rest = task;
      const Scalar block = take(rest, blocks_);
      Substitution at;
      for (size_t i = c_.outer.size(); i-- > 0;) take_loop(rest, c_.outer[i], at);
      const Scalar first = product(rest, int_imm(tile_.carried_tiles));
      const Scalar count = min(int_imm(tile_.carried_tiles), tiles - first);
      return at_outer(at, for_columns(block, [&](const Columns& columns) {
                        return in_parts(columns, first, count, tile_.carried_tiles);
                      }));
    });
  }

  /// True when the right operand has more elements than the left one, and no outer loop moves it.
  bool is_right_larger() const {
    if (std::ranges::any_of(c_.outer, [&](size_t i) { return uses(c_.right, *c_.loop(i)); })) return false;
    int64_t left = 1, right = c_.known_extent(c_.column);
    for (size_t i = 0; i < c_.nest.loops.size(); ++i) {
      if (i == c_.column || c_.known_extent(i) == 1) continue;
      const bool is_step = c_.nest.kinds[i] == IterKind::Reduce;
      if (is_step || uses(c_.left, *c_.loop(i))) left *= c_.known_extent(i);
      if (is_step) right *= c_.known_extent(i);
    }
    return left > 0 && right > left;
  }

  /// Threads take a few tiles of rows, which stay in the cache while many columns pass.
  Stmt rows_outside() const {
    const Scalar tiles = row_tiles(), groups = ceil_div(tiles, tile_.tiles_at_once);
    const bool has_chunks = tile_.blocks_at_once > 0;
    const Scalar chunks = has_chunks ? ceil_div(blocks_, tile_.blocks_at_once) : int_imm(1);
    Scalar tasks = product(groups, chunks);
    for (size_t i : c_.outer)
      if (moves_left(i)) tasks = product(tasks, as_index(c_.extent(i)));
    return parallel_loop("task", tasks, worth_threads(c_), [&](const Scalar& task) {
      Scalar rest = task;
      const Scalar group = take(rest, groups);
      const Scalar first_block = has_chunks ? product(take(rest, chunks), int_imm(tile_.blocks_at_once)) : int_imm(0);
      Substitution at;
      for (size_t i = c_.outer.size(); i-- > 0;)
        if (moves_left(c_.outer[i])) take_loop(rest, c_.outer[i], at);
      const Scalar first = product(group, int_imm(tile_.tiles_at_once));
      const Scalar count = tile_.tiles_at_once == 1
                               ? int_imm(1)
                               : compare(BinaryOp::Min, int_imm(tile_.tiles_at_once), difference(tiles, first));
      const Scalar block_count = has_chunks ? min(int_imm(tile_.blocks_at_once), blocks_ - first_block) : blocks_;
      const bool waits_in_output = tile_.part > 0 && !tile_.widens_rows && find_int(rows_);
      Scalar first_row =
          waits_in_output || !find_int(rows_) ? product(first, int_imm(tile_.rows)) : rows_at(first).first;
      if (!find_int(rows_)) first_row = min(first_row, max(rows_ - int_imm(tile_.rows), int_imm(0)));
      const Ref<Buffer> carried =
          tile_.part > 0 && !waits_in_output ? carried_sums(tile_.tiles_at_once, columns_of_task()) : nullptr;
      const auto of_part = [&](const Part& part, const std::optional<Carried>& carry) {
        return with_rows(first_row, count, part, [&](const Ref<Buffer>& copy) {
          Stmt blocks = serial_loop("block", block_count, [&](const Scalar& block) {
            return for_columns(sum(first_block, block), [&](const Columns& columns) {
              const auto of_rows = [&](Rows rows, std::optional<Carried> from) {
                rows.tiles = find_int(rows_) ? tile_.tiles_at_once : std::min(tile_.tiles_at_once, kTilesThatFetch);
                return brick(rows, columns, part,
                             {.right = nullptr, .left = copy, .first_row = difference(rows.first, first_row)}, from);
              };
              if (waits_in_output)
                return serial_loop("tile", count, [&](const Scalar& t) {
                  return for_rest(sum(first, t), [&](const Rows& rows) { return of_rows(rows, carry); });
                });
              return for_tiles(first, count, [&](const Rows& rows, const Scalar& place) {
                std::optional<Carried> from = carry;
                if (from) from->first_row = place, from->first_column = product(block, int_imm(tile_.columns()));
                return of_rows(rows, from);
              });
            });
          });
          for (size_t i = c_.outer.size(); i-- > 0;)
            if (!moves_left(c_.outer[i])) blocks = For::make(c_.loop(c_.outer[i]), c_.extent(c_.outer[i]), blocks);
          return blocks;
        });
      };
      Stmt body =
          tile_.part == 0
              ? of_part(whole(), {})
              : for_parts([&](const Part& part, const Scalar& is_first, const Scalar& is_last) {
                  return of_part(part,
                                 Carried{.sums = carried, .first_row = {}, .is_first = is_first, .is_last = is_last});
                });
      if (carried) body = AllocBuffer::make(carried, body);
      return at_outer(at, body);
    });
  }

  /// Returns the most columns that a task has.
  int64_t columns_of_task() const {
    return (tile_.blocks_at_once > 0 ? tile_.blocks_at_once : *find_int(blocks_)) * tile_.columns();
  }

  Ref<Buffer> carried_sums(int64_t tiles, int64_t width) const {
    return Buffer::make("carried", c_.nest.buffer->dtype, {int_imm(tiles * tile_.rows), int_imm(width)},
                        {.scope = "local"});
  }

  bool moves_left(size_t loop) const { return uses(c_.left, *c_.loop(loop)); }

  void take_loop(Scalar& rest, size_t loop, Substitution& at) const {
    at[c_.loop(loop)] = as_type_of(c_.loop(loop), take(rest, as_index(c_.extent(loop))));
  }

  /// Copies rows of the left operand, with a distance that spreads them over cache sets.
  Stmt with_rows(const Scalar& first, const Scalar& tiles, const Part& part,
                 const std::function<Stmt(const Ref<Buffer>&)>& body) const {
    if (!tile_.packs_left) return body(nullptr);
    const Scalar count = compare(BinaryOp::Min, product(tiles, int_imm(tile_.rows)), difference(rows_, first));
    const Scalar most = step_count(tile_.part > 0 ? Part{int_imm(0), int_imm(tile_.part)} : whole());
    const Ref<Buffer> copy =
        Buffer::make("rows", tile_.adds_pairs ? DType::int_(16) : c_.left->dtype,
                     {int_imm(tile_.tiles_at_once * tile_.rows), extent_of_copy(c_, sum(most, int_imm(tile_.lanes)))},
                     {.scope = "local"});
    Stmt fill = serial_loop("r", count, [&](const Scalar& r) {
      if (tile_.widens_rows) return widened_row(sum(first, r), part, copy, r);
      return for_steps(part, [&](const Step& step) {
        const Scalar value = operand(c_.left, step, sum(first, r), nullptr);
        return store_copied(c_, copy, {r, step.flat}, step_operands(c_, value));
      });
    });
    return AllocBuffer::make(copy, Seq::make({fill, body(copy)}));
  }

  /// Copies a row with wider elements, what several steps take of it at a time where that is contiguous.
  Stmt widened_row(const Scalar& row, const Part& part, const Ref<Buffer>& copy, const Scalar& number) const {
    constexpr int64_t kMostSteps = 8;
    const size_t last = c_.steps.back();
    const Scalar steps = step_extent(part, c_.steps.size() - 1);
    const int64_t at_once = has_adjacent_steps(c_, last) ? kMostSteps : 1;
    return for_windows(part, [&](const Step& window) {
      std::vector<Stmt> all;
      Scalar done = int_imm(0);
      for (int64_t count = at_once; count > 0; count = find_int(steps) ? count / 2 : count > 1 ? 1 : 0) {
        const Scalar begin = done;
        const Scalar times = compare(BinaryOp::FloorDiv, difference(steps, begin), int_imm(count));
        if (structural_equal(times, int_imm(0))) continue;
        all.push_back(serial_loop(c_.loop(last)->name, times, [&](const Scalar& i) {
          const Step step = next_step(part, window, sum(begin, product(i, int_imm(count))));
          return store_copied(c_, copy, {number, step.flat}, widened(c_, operand(c_.left, step, row, nullptr), count));
        }));
        done = sum(begin, product(times, int_imm(count)));
      }
      return Seq::make(std::move(all));
    });
  }

  /// Returns the columns of a tile that is turned, and its steps.
  int64_t tile_of_columns() const { return std::min<int64_t>(tile_.lanes, kMostTurned); }

  /// True when columns lie along the last step, and tiles of them are vectors both ways.
  bool has_tiles_of_columns() const {
    const auto* right = find<BufferLoad>(c_.right);
    const int64_t steps = c_.known_extent(c_.steps.back());
    if (steps > 0 && steps < tile_of_columns()) return false;
    return right && right->dtype == DType::float_(32) && !right->predicate && !c_.bundle && at_once_ == 1 &&
           lies_at_distance(c_.right, c_.loop(c_.steps.back()), 1);
  }

  /// Copies columns that lie along the last step: reads a vector of each of some columns, and exchanges their lanes and
  /// numbers in registers.
  Stmt turned_columns(const Columns& columns, const Part& part, const Ref<Buffer>& packed) const {
    const std::string& name = c_.loop(c_.steps.back())->name;
    const int64_t lanes = tile_of_columns(), width = columns.vectors * tile_.lanes;
    const Scalar extent = step_extent(part, c_.steps.size() - 1), size = int_imm(lanes);
    const Scalar tiles = compare(BinaryOp::FloorDiv, extent, size), done = product(tiles, size);
    return for_windows(part, [&](const Step& window) {
      const Stmt whole = serial_loop(name, tiles, [&](const Scalar& t) {
        const Step first = next_step(part, window, product(t, size));
        return serial_loop("block", int_imm(width / lanes), [&](const Scalar& block) {
          return turned_tile(columns, first, product(block, size), packed);
        });
      });
      const Scalar left = difference(extent, done);
      if (structural_equal(left, int_imm(0))) return whole;
      return Seq::make({whole, serial_loop("j", int_imm(width), [&](const Scalar& j) {
                          return serial_loop(name, left, [&](const Scalar& n) {
                            const Step step = next_step(part, window, sum(done, n));
                            return BufferStore::make(packed, operand(c_.right, step, nullptr, sum(columns.first, j)),
                                                     {step.flat, j});
                          });
                        })});
    });
  }

  Stmt turned_tile(const Columns& columns, const Step& first, const Scalar& lane, const Ref<Buffer>& packed) const {
    const int lanes = static_cast<int>(tile_of_columns());
    VectorBindings bindings;
    std::vector<Scalar> rows;
    for (int i = 0; i < lanes; ++i) {
      const Scalar at = operand(c_.right, first, nullptr, sum(columns.first, sum(lane, int_imm(i))));
      const auto* load = find<BufferLoad>(at);
      std::vector<Scalar> indices = load->indices;
      indices.back() = Ramp::make(indices.back(), IntImm::make(indices.back()->dtype, 1), lanes);
      rows.push_back(bindings.bind("row", BufferLoad::make(load->buffer, std::move(indices))));
    }
    std::vector<Stmt> stores;
    for (const Scalar& turned : bind_columns(bindings, rows, c_.right->dtype.bits))
      stores.push_back(BufferStore::make(
          packed, turned,
          {sum(first.flat, int_imm(static_cast<int64_t>(stores.size()))), Ramp::make(lane, int_imm(1), lanes)}));
    return bindings.around(Seq::make(std::move(stores)));
  }

  Stmt with_packed(const Columns& columns, const Part& part,
                   const std::function<Stmt(const Ref<Buffer>&)>& body) const {
    if (!tile_.packs_right) return body(nullptr);
    const int64_t width = columns.vectors * tile_.lanes;
    const Scalar most = tile_.part > 0 ? int_imm(tile_.part) : part.count;
    const Ref<Buffer> packed =
        Buffer::make("packed", c_.right->dtype, {step_count({int_imm(0), most}), extent_of_copy(c_, int_imm(width))},
                     {.scope = "local"});
    Stmt fill;
    if (is_contiguous(right_in_panel(c_), c_.loop(c_.column)))
      fill = for_steps(part, [&](const Step& step) {
        return for_step_columns(columns, [&](const Column& column) {
          const Scalar value = right_operand(step, columns, column);
          const Scalar operands = at_once_ == 1
                                      ? there(columns, column, value)
                                      : interleaved(c_, value, at_once_, limit_of(columns, column), step.taken);
          return store_copied(c_, packed, {step.flat, column.lane}, operands);
        });
      });
    else if (has_tiles_of_columns() && !columns.limit)
      fill = turned_columns(columns, part, packed);
    else  // rows of memory are read along the steps
      fill = serial_loop("j", int_imm(width), [&](const Scalar& j) {
        return for_steps(part, [&](const Step& step) {
          const Scalar column = operand(c_.right, step, nullptr, sum(columns.first, j));
          const Scalar value = step_operands(c_, column, 1, step.taken);
          return store_copied(c_, packed, {step.flat, j}, if_below(columns.limit, j, value));
        });
      });
    return AllocBuffer::make(packed, Seq::make({fill, body(packed)}));
  }

  /// All tiles of rows on one part of the steps, then on the next.
  Stmt in_parts(const Columns& columns, const Scalar& first_tile, const Scalar& tiles, int64_t most_tiles) const {
    const Ref<Buffer> carried = carried_sums(most_tiles, columns.vectors * tile_.lanes);
    return AllocBuffer::make(
        carried, for_parts([&](const Part& part, const Scalar& is_first, const Scalar& is_last) {
          return with_packed(columns, part, [&](const Ref<Buffer>& packed) {
            const auto of_rows = [&](const Rows& rows, const Scalar& first_row) {
              const Carried carry{.sums = carried, .first_row = first_row, .is_first = is_first, .is_last = is_last};
              return brick(rows, columns, part, {.right = packed, .left = nullptr}, carry);
            };
            return for_tiles(first_tile, tiles, of_rows);
          });
        }));
  }
};

}  // namespace

Stmt write_contraction(const Contraction& c, const Tile& tile) {
  return tile.any_sizes ? write_any_sizes(c, tile) : ContractionWriter(c, tile).run();
}

}  // namespace sunmao
