#include "passes/schedule/contraction/contraction_writer.h"

#include <algorithm>

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/epilogue.h"
#include "passes/loop/loop_writing.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

constexpr int64_t kWorthThreads = 1 << 18;  // multiply-adds: about 5 microseconds of one core
constexpr int64_t kWantedTasks = 8;
constexpr int64_t kTilesPerCopy = 4;  // of rows, that pay for a copy of the columns
constexpr int64_t kUnrolledSteps = 4;

class ContractionWriter {
 public:
  ContractionWriter(const Contraction& c, const Tile& tile)
      : c_(c), tile_(tile), rows_(c.row ? as_index(c.extent(*c.row)) : int_imm(1)),
        columns_(as_index(c.extent(c.column))), blocks_(ceil_div(columns_, tile.columns())) {}

  Stmt run() const { return tile_.rows_outside ? rows_outside() : columns_outside(); }

 private:
  /// A block of columns: all of them there (`limit` is null), or only those below `limit`.
  struct Columns {
    Scalar first;
    int64_t vectors;
    Scalar limit;
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
  };
  struct Step {
    std::vector<Scalar> at = {};  // the numbers of the reduced loops, outermost first
    Scalar flat = int_imm(0);     // its number within the part
    bool is_guarded = false;
  };
  /// Iterations of the first reduced loop, with all of the others.
  struct Part {
    Scalar first, count;
  };
  /// Copies of operands, null where they are read in place. A tile begins at `first_row` of the left one.
  struct Copies {
    Ref<Buffer> right, left;
    Scalar first_row = {};
  };
  /// Sums that go from one part of the steps to the next, by their rows; in the output when `sums` is null.
  struct Carried {
    Ref<Buffer> sums;
    Scalar first_row, is_first, is_last;
  };
  using OfRows = std::function<Stmt(const Rows&)>;
  using OfColumns = std::function<Stmt(const Columns&)>;

  Scalar worth_threads() const {
    Scalar work = int_imm(1);
    for (const Scalar& extent : c_.nest.extents) work = product(work, as_index(extent));
    return compare(BinaryOp::Ge, work, int_imm(kWorthThreads));
  }

  /// Threads take blocks of columns, and parts of the rows where there are too few of these; all rows of a part follow
  /// on the packed columns.
  Stmt columns_outside() const {
    Scalar tasks = blocks_;
    for (size_t i : c_.outer) tasks = product(tasks, as_index(c_.extent(i)));
    const Scalar tiles = row_tiles();
    const int64_t *known = find_int(tasks), *all_tiles = find_int(tiles);
    int64_t parts = 1;
    if (known && all_tiles && *known > 0 && *known < kWantedTasks)
      parts = std::clamp<int64_t>((kWantedTasks + *known - 1) / *known, 1,
                                  std::max<int64_t>(1, tile_.packs_right ? *all_tiles / kTilesPerCopy : *all_tiles));
    if (tile_.part > 0) parts = std::max(parts, (*all_tiles + tile_.carried_tiles - 1) / tile_.carried_tiles);
    const int64_t tiles_each = parts > 1 ? (*all_tiles + parts - 1) / parts : 0;
    return parallel_loop("task", product(int_imm(parts), tasks), worth_threads(), [&](const Scalar& task) {
      Scalar rest = task;
      const Scalar block = take(rest, blocks_);
      Substitution at;
      for (size_t i = c_.outer.size(); i-- > 0;) take_loop(rest, c_.outer[i], at);
      const Scalar first = parts > 1 ? product(rest, int_imm(tiles_each)) : int_imm(0);
      const Scalar count = parts > 1 ? min(int_imm(tiles_each), tiles - first) : tiles;
      Stmt body = for_columns(block, [&](const Columns& columns) {
        if (tile_.part > 0) return in_parts(columns, first, count, parts > 1 ? tiles_each : *all_tiles);
        return with_packed(columns, whole(), [&](const Ref<Buffer>& packed) {
          const auto brick = [&](const Rows& rows) {
            return this->brick(rows, columns, whole(), {.right = packed, .left = nullptr});
          };
          if (parts == 1) return for_rows(brick);
          return serial_loop("tile", count, [&](const Scalar& t) { return for_tile(sum(first, t), brick); });
        });
      });
      return substitute(body, at);
    });
  }

  /// Threads take a few tiles of rows, which stay in the cache while many columns pass.
  Stmt rows_outside() const {
    const Scalar tiles = row_tiles(), groups = ceil_div(tiles, tile_.tiles_at_once);
    const bool has_chunks = tile_.blocks_at_once > 0;
    const Scalar chunks = has_chunks ? ceil_div(blocks_, tile_.blocks_at_once) : int_imm(1);
    Scalar tasks = product(groups, chunks);
    for (size_t i : c_.outer)
      if (moves_left(i)) tasks = product(tasks, as_index(c_.extent(i)));
    return parallel_loop("task", tasks, worth_threads(), [&](const Scalar& task) {
      Scalar rest = task;
      const Scalar group = take(rest, groups);
      const Scalar first_block = has_chunks ? product(take(rest, chunks), int_imm(tile_.blocks_at_once)) : int_imm(0);
      Substitution at;
      for (size_t i = c_.outer.size(); i-- > 0;)
        if (moves_left(c_.outer[i])) take_loop(rest, c_.outer[i], at);
      const Scalar first = product(group, int_imm(tile_.tiles_at_once));
      const Scalar count = tile_.tiles_at_once == 1 ? int_imm(1) : min(int_imm(tile_.tiles_at_once), tiles - first);
      const Scalar block_count = has_chunks ? min(int_imm(tile_.blocks_at_once), blocks_ - first_block) : blocks_;
      const Scalar first_row = tile_.part > 0 ? product(first, int_imm(tile_.rows)) : rows_at(first).first;
      const auto of_part = [&](const Part& part, const std::optional<Carried>& carry) {
        return with_rows(first_row, count, part, [&](const Ref<Buffer>& copy) {
          Stmt blocks = serial_loop("block", block_count, [&](const Scalar& block) {
            return for_columns(sum(first_block, block), [&](const Columns& columns) {
              return serial_loop("tile", count, [&](const Scalar& t) {
                const auto of_rows = [&](const Rows& rows) {
                  return brick(rows, columns, part,
                               {.right = nullptr, .left = copy, .first_row = rows.first - first_row}, carry);
                };
                return carry ? for_rest(sum(first, t), of_rows) : of_rows(rows_at(sum(first, t)));
              });
            });
          });
          for (size_t i = c_.outer.size(); i-- > 0;)
            if (!moves_left(c_.outer[i])) blocks = For::make(c_.loop(c_.outer[i]), c_.extent(c_.outer[i]), blocks);
          return blocks;
        });
      };
      const Scalar none;
      Stmt body =
          tile_.part == 0
              ? of_part(whole(), {})
              : for_parts([&](const Part& part, const Scalar& is_first, const Scalar& is_last) {
                  return of_part(part,
                                 Carried{.sums = nullptr, .first_row = none, .is_first = is_first, .is_last = is_last});
                });
      return substitute(body, at);
    });
  }

  /// Emits the body for a tile of rows, of which the last has only those that are left: sums that wait in the output
  /// are added to once.
  Stmt for_rest(const Scalar& tile, const OfRows& body) const {
    const int64_t rows = *find_int(rows_), left = rows % tile_.rows;
    Stmt full = body({product(tile, int_imm(tile_.rows)), tile_.rows});
    if (left == 0) return full;
    return IfThenElse::make(compare(BinaryOp::Eq, tile, int_imm(rows / tile_.rows)), body({int_imm(rows - left), left}),
                            full);
  }

  using OfPart = std::function<Stmt(const Part&, const Scalar& is_first, const Scalar& is_last)>;
  Stmt for_parts(const OfPart& body) const {
    const int64_t all = *find_int(c_.extent(c_.steps[0])), parts = (all + tile_.part - 1) / tile_.part;
    return serial_loop("part", int_imm(parts), [&](const Scalar& p) {
      const Scalar first = product(p, int_imm(tile_.part));
      const Part part{first,
                      all % tile_.part == 0 ? int_imm(tile_.part) : min(int_imm(tile_.part), int_imm(all) - first)};
      return body(part, compare(BinaryOp::Eq, p, int_imm(0)), compare(BinaryOp::Eq, p, int_imm(parts - 1)));
    });
  }

  bool moves_left(size_t loop) const { return uses(c_.left, *c_.loop(loop)); }

  /// Takes the number of an iteration off the number of a task.
  static Scalar take(Scalar& rest, const Scalar& extent) {
    const Scalar number = compare(BinaryOp::FloorMod, rest, extent);
    rest = compare(BinaryOp::FloorDiv, rest, extent);
    return number;
  }
  void take_loop(Scalar& rest, size_t loop, Substitution& at) const {
    at[c_.loop(loop)] = as_type_of(c_.loop(loop), take(rest, as_index(c_.extent(loop))));
  }

  /// Copies rows of the left operand, with a distance that spreads them over cache sets.
  Stmt with_rows(const Scalar& first, const Scalar& tiles, const Part& part,
                 const std::function<Stmt(const Ref<Buffer>&)>& body) const {
    if (!tile_.packs_left) return body(nullptr);
    const Scalar count = min(product(tiles, int_imm(tile_.rows)), rows_ - first);
    const Scalar most = step_count(tile_.part > 0 ? Part{int_imm(0), int_imm(tile_.part)} : whole());
    const Ref<Buffer> copy =
        Buffer::make("rows", c_.left->dtype,
                     {int_imm(tile_.tiles_at_once * tile_.rows), sum(most, int_imm(tile_.lanes))}, {.scope = "local"});
    Stmt fill = serial_loop("r", count, [&](const Scalar& r) {
      return for_steps(part, [&](const Step& step) {
        return BufferStore::make(copy, operand(c_.left, step, sum(first, r), nullptr), {r, step.flat});
      });
    });
    return AllocBuffer::make(copy, Seq::make({fill, body(copy)}));
  }

  // Where the number of rows is known, the last tile starts earlier if they are no multiple of its height: it computes
  // some rows again, to the same numbers. Else single rows are left.
  Scalar row_tiles() const {
    return find_int(rows_) ? ceil_div(rows_, tile_.rows) : compare(BinaryOp::FloorDiv, rows_, int_imm(tile_.rows));
  }
  Rows rows_at(const Scalar& tile) const {
    const Scalar first = product(tile, int_imm(tile_.rows));
    const int64_t* known = find_int(rows_);
    return {known && *known % tile_.rows != 0 ? min(first, rows_ - int_imm(tile_.rows)) : first, tile_.rows};
  }
  /// Emits the body for a tile of rows; for the first and the last one apart where guards matter, so that what they
  /// leave out is known.
  Stmt for_tile(const Scalar& tile, const OfRows& body) const {
    const int64_t* rows = find_int(rows_);
    if (row_guards_.empty() || !rows || find_int(tile)) return body(rows_at(tile));
    const int64_t last = *rows - tile_.rows, tiles = (*rows + tile_.rows - 1) / tile_.rows;
    Rows between = rows_at(tile);
    between.are_inside = tiles > 2 && hold_between(tile_.rows, last - 1);
    Stmt out = tiles > 2 ? body(between) : Stmt();
    Stmt at_end = tiles > 1 ? body({int_imm(last), tile_.rows}) : Stmt();
    if (tiles > 1) out = out ? IfThenElse::make(compare(BinaryOp::Eq, tile, int_imm(tiles - 1)), at_end, out) : at_end;
    Stmt at_begin = body({int_imm(0), tile_.rows});
    return out ? IfThenElse::make(compare(BinaryOp::Eq, tile, int_imm(0)), at_begin, out) : at_begin;
  }

  /// True when the guards hold for all tiles that begin between these rows. They are monotonic in each loop.
  bool hold_between(int64_t first, int64_t last) const {
    const size_t step = c_.steps.back();
    const int64_t* taps = find_int(c_.extent(step));
    if (!taps || first > last) return false;
    Analyzer analyzer;
    for (int64_t row : {first, last + tile_.rows - 1})
      for (int64_t tap : {int64_t{0}, *taps - 1})
        for (const Scalar& guard : row_guards_) {
          const auto at = [&](size_t loop, int64_t n) { return IntImm::make(c_.loop(loop)->dtype, n); };
          const Scalar holds = analyzer.simplify(
              substitute(guard, {{c_.loop(*c_.row), at(*c_.row, row)}, {c_.loop(step), at(step, tap)}}));
          if (!find_int(holds) || *find_int(holds) == 0) return false;
        }
    return true;
  }

  Stmt for_rows(const OfRows& body) const {
    const Scalar tiles = row_tiles();
    Stmt full = serial_loop("tile", tiles, [&](const Scalar& t) { return for_tile(t, body); });
    if (find_int(rows_) || tile_.rows == 1) return full;
    const Scalar done = product(tiles, int_imm(tile_.rows));
    return Seq::make(
        {full, serial_loop("row", rows_ - done, [&](const Scalar& r) { return body({sum(done, r), 1}); })});
  }

  Stmt for_columns(const Scalar& block, const OfColumns& body) const {
    const Scalar width = int_imm(tile_.columns()), first = product(block, width);
    const int64_t* known = find_int(columns_);
    if (known && *known % tile_.columns() == 0) return body({first, tile_.vectors, nullptr});
    const int64_t left = known ? *known % tile_.columns() : tile_.columns();
    const int64_t vectors = (left + tile_.lanes - 1) / tile_.lanes;
    const bool is_masked = left % tile_.lanes != 0 || !known;
    Stmt rest = body({known ? int_imm(*known - left) : first, vectors, is_masked ? columns_ : Scalar()});
    if (known && *known < tile_.columns()) return rest;
    return IfThenElse::make(compare(BinaryOp::Le, sum(first, width), columns_), body({first, tile_.vectors, nullptr}),
                            rest);
  }

  Part whole() const { return {int_imm(0), as_index(c_.extent(c_.steps[0]))}; }
  Scalar step_count(const Part& part) const {
    Scalar count = part.count;
    for (size_t i = 1; i < c_.steps.size(); ++i) count = product(count, as_index(c_.extent(c_.steps[i])));
    return count;
  }

  using OfStep = std::function<Stmt(const Step&)>;
  /// Emits the loops over the steps in their order; a few steps of the innermost loop stand behind each other.
  Stmt for_steps(const Part& part, const OfStep& body) const { return for_steps(part, body, {}, c_.steps.size()); }
  /// Emits the loops over the steps but the last.
  Stmt for_windows(const Part& part, const OfStep& body) const {
    return for_steps(part, body, {}, c_.steps.size() - 1);
  }

  Scalar step_extent(const Part& part, size_t depth) const {
    return depth == 0 ? part.count : as_index(c_.extent(c_.steps[depth]));
  }
  Step next_step(const Part& part, const Step& outside, const Scalar& number) const {
    const size_t depth = outside.at.size();
    Step next = outside;
    next.at.push_back(depth == 0 ? sum(part.first, number) : number);
    next.flat = sum(product(outside.flat, step_extent(part, depth)), number);
    return next;
  }
  Stmt for_steps(const Part& part, const OfStep& body, const Step& outside, size_t end) const {
    const size_t depth = outside.at.size();
    if (depth + 1 == c_.steps.size() && !step_guards_.empty() && !outside.is_guarded) {
      Step guarded = outside;
      guarded.is_guarded = true;
      return IfThenElse::make(all_of(step_guards_, outside, nullptr), for_steps(part, body, guarded, end));
    }
    if (depth == end) return body(outside);
    const auto inner = [&](const Scalar& number) {
      return for_steps(part, body, next_step(part, outside, number), end);
    };
    const Scalar extent = step_extent(part, depth);
    const std::string& name = c_.loop(c_.steps[depth])->name;
    const int64_t* known = find_int(extent);
    if (depth + 1 < c_.steps.size() || !known) return serial_loop(name, extent, inner);
    if (*known <= kUnrolledSteps) return unrolled_loop(name, *known, inner);
    if (*known % kUnrolledSteps != 0) return serial_loop(name, extent, inner);
    return serial_loop(name, int_imm(*known / kUnrolledSteps), [&](const Scalar& turn) {
      return unrolled_loop(name, kUnrolledSteps,
                           [&](const Scalar& u) { return inner(sum(product(turn, int_imm(kUnrolledSteps)), u)); });
    });
  }

  /// Returns whether the guards hold at a place.
  Scalar all_of(const std::vector<Scalar>& guards, const Step& step, const Scalar& row) const {
    Scalar out;
    for (const Scalar& guard : guards) {
      const Scalar here = operand(guard, step, row, nullptr);
      out = out ? Binary::make(BinaryOp::And, out, here) : here;
    }
    return out;
  }

  /// Returns an operand at a place; null for a row or column that it does not depend on.
  Scalar operand(const Scalar& value, const Step& step, const Scalar& row, const Scalar& column) const {
    Substitution map;
    for (size_t i = 0; i < step.at.size(); ++i)
      map[c_.loop(c_.steps[i])] = as_type_of(c_.loop(c_.steps[i]), step.at[i]);
    if (row && c_.row) map[c_.loop(*c_.row)] = as_type_of(c_.loop(*c_.row), row);
    if (column) map[c_.loop(c_.column)] = as_type_of(c_.loop(c_.column), column);
    return substitute(value, map);
  }

  static Scalar if_below(const Scalar& limit, const Scalar& column, const Scalar& value) {
    if (!limit) return value;
    return ScalarCall::make("if_then_else", value->dtype,
                            {Binary::make(BinaryOp::Lt, column, limit), value, constant(value->dtype, 0)});
  }

  /// Emits the body for the columns of each vector.
  Stmt for_lanes(const Columns& columns, const std::function<Stmt(const Column&)>& body) const {
    return unrolled_loop("v", columns.vectors, [&](const Scalar& v) {
      return vector_loop("j", tile_.lanes, [&](const Scalar& j) {
        const Scalar start = product(v, int_imm(tile_.lanes)), lane = sum(start, j);
        return body({.start = start, .in_vector = j, .lane = lane, .at = sum(columns.first, lane)});
      });
    });
  }

  /// Returns the right operand in place. A block of columns is a part of a panel, or some panels.
  Scalar right_operand(const Step& step, const Columns& columns, const Column& column) const {
    Scalar value = operand(c_.right, step, nullptr, column.at);
    if (!c_.panels) return value;
    const auto& [width, panel, rest, count] = *c_.panels;
    const Scalar w = int_imm(width);
    const bool begins_panel = tile_.columns() % width == 0;
    const Scalar number =
        sum(compare(BinaryOp::FloorDiv, columns.first, w), compare(BinaryOp::FloorDiv, column.start, w));
    const Scalar before = begins_panel ? int_imm(0) : compare(BinaryOp::FloorMod, columns.first, w);
    const Scalar inside = sum(sum(before, compare(BinaryOp::FloorMod, column.start, w)), column.in_vector);
    const int64_t* all = find_int(columns_);
    const bool is_full =
        (all && *all % width == 0) || (begins_panel && columns.vectors == tile_.vectors && !columns.limit);
    const Scalar there = is_full ? w : min(w, columns_ - product(number, w));
    return substitute(
        value,
        {{panel, as_type_of(panel, number)}, {rest, as_type_of(rest, inside)}, {count, as_type_of(count, there)}});
  }

  Stmt with_packed(const Columns& columns, const Part& part,
                   const std::function<Stmt(const Ref<Buffer>&)>& body) const {
    if (!tile_.packs_right) return body(nullptr);
    const int64_t width = columns.vectors * tile_.lanes;
    const Scalar most = tile_.part > 0 ? int_imm(tile_.part) : part.count;
    const Ref<Buffer> packed =
        Buffer::make("packed", c_.right->dtype, {step_count({int_imm(0), most}), int_imm(width)}, {.scope = "local"});
    const auto store = [&](const Step& step, const Scalar& lane, const Scalar& column) {
      const Scalar value = if_below(columns.limit, column, operand(c_.right, step, nullptr, column));
      return BufferStore::make(packed, value, {step.flat, lane});
    };
    Stmt fill;
    if (is_contiguous(c_.right, c_.loop(c_.column)))
      fill = for_steps(part, [&](const Step& step) {
        return for_lanes(columns, [&](const Column& column) { return store(step, column.lane, column.at); });
      });
    else  // rows of memory are read along the steps
      fill = serial_loop("j", int_imm(width), [&](const Scalar& j) {
        return for_steps(part, [&](const Step& step) { return store(step, j, sum(columns.first, j)); });
      });
    return AllocBuffer::make(packed, Seq::make({fill, body(packed)}));
  }

  /// All tiles of rows on one part of the steps, then on the next.
  Stmt in_parts(const Columns& columns, const Scalar& first_tile, const Scalar& tiles, int64_t most_tiles) const {
    const Ref<Buffer> carried =
        Buffer::make("carried", c_.nest.buffer->dtype,
                     {int_imm(most_tiles * tile_.rows), int_imm(columns.vectors * tile_.lanes)}, {.scope = "local"});
    return AllocBuffer::make(carried, for_parts([&](const Part& part, const Scalar& is_first, const Scalar& is_last) {
                               return with_packed(columns, part, [&](const Ref<Buffer>& packed) {
                                 return serial_loop("tile", tiles, [&](const Scalar& t) {
                                   const Carried carry{.sums = carried,
                                                       .first_row = product(t, int_imm(tile_.rows)),
                                                       .is_first = is_first,
                                                       .is_last = is_last};
                                   return brick(rows_at(sum(first_tile, t)), columns, part,
                                                {.right = packed, .left = nullptr}, carry);
                                 });
                               });
                             }));
  }

  Stmt brick(const Rows& rows, const Columns& columns, const Part& part, const Copies& copies,
             const std::optional<Carried>& carry = {}) const {
    const DType dtype = c_.nest.buffer->dtype;
    const Ref<Buffer> sums =
        Buffer::make("sums", dtype, {int_imm(rows.count), int_imm(columns.vectors * tile_.lanes)}, {.scope = "local"});
    const auto for_sums = [&](const std::function<Stmt(const Scalar& r, const Column& column)>& body) {
      return unrolled_loop("r", rows.count, [&](const Scalar& r) {
        return for_lanes(columns, [&](const Column& column) { return body(r, column); });
      });
    };
    Stmt begin = for_sums(
        [&](const Scalar& r, const Column& column) { return BufferStore::make(sums, c_.nest.init, {r, column.lane}); });
    const auto add = [&](const Step& step, const Scalar& r, const Column& column) {
      const auto& [start, in_vector, lane, at] = column;
      const Scalar column_of_left = c_.is_left_vector ? at : Scalar();
      Scalar right = copies.right ? load(copies.right, {step.flat, lane}) : right_operand(step, columns, column);
      Scalar left = copies.left ? load(copies.left, {sum(copies.first_row, r), step.flat})
                                : operand(c_.left, step, sum(rows.first, r), column_of_left);
      if (c_.is_left_vector) left = if_below(columns.limit, at, left);
      if (!copies.right) right = if_below(columns.limit, at, right);
      return BufferStore::make(sums, load(sums, {r, lane}) + left * right, {r, lane});
    };
    const auto add_row = [&](const Step& step, const Scalar& r) {
      Stmt row = for_lanes(columns, [&](const Column& column) { return add(step, r, column); });
      if (row_guards_.empty() || rows.are_inside) return row;
      return IfThenElse::make(all_of(row_guards_, step, sum(rows.first, r)), row);
    };
    const int64_t taps = window_taps(c_);
    Stmt walk =
        taps == 0
            ? for_steps(part,
                        [&](const Step& step) {
                          return unrolled_loop("r", rows.count, [&](const Scalar& r) { return add_row(step, r); });
                        })
            : for_windows(part, [&](const Step& window) {
                return unrolled_loop("r", rows.count, [&](const Scalar& r) {
                  return unrolled_loop(c_.loop(c_.steps.back())->name, taps,
                                       [&](const Scalar& tap) { return add_row(next_step(part, window, tap), r); });
                });
              });
    const auto in_place = [&](const Scalar& r, const Column& column) {
      Substitution map{{c_.loop(c_.column), as_type_of(c_.loop(c_.column), column.at)}};
      if (c_.row) map[c_.loop(*c_.row)] = as_type_of(c_.loop(*c_.row), sum(rows.first, r));
      return map;
    };
    const auto if_there = [&](const Column& column, const Stmt& store) {
      return columns.limit ? IfThenElse::make(Binary::make(BinaryOp::Lt, column.at, columns.limit), store) : store;
    };
    Stmt end = for_sums([&](const Scalar& r, const Column& column) {
      const Stmt store = store_result(c_.nest, c_.epilogue, load(sums, {r, column.lane}));
      return if_there(column, substitute(store, in_place(r, column)));
    });
    if (carry) {
      const StoreNest& out = c_.epilogue ? *c_.epilogue : c_.nest;
      const auto place = [&](const Scalar& r, const Column& column) {
        if (carry->sums) return std::vector<Scalar>{sum(carry->first_row, r), column.lane};
        std::vector<Scalar> indices;
        for (const Scalar& i : out.indices) indices.push_back(substitute(i, in_place(r, column)));
        return indices;
      };
      const Ref<Buffer>& kept = carry->sums ? carry->sums : out.buffer;
      Stmt resume = for_sums([&](const Scalar& r, const Column& column) {
        const Scalar before = load(kept, place(r, column));
        return BufferStore::make(sums, carry->sums ? before : if_below(columns.limit, column.at, before),
                                 {r, column.lane});
      });
      Stmt suspend = for_sums([&](const Scalar& r, const Column& column) {
        const Stmt store = BufferStore::make(kept, load(sums, {r, column.lane}), place(r, column));
        return carry->sums ? store : if_there(column, store);
      });
      begin = IfThenElse::make(carry->is_first, begin, resume);
      end = IfThenElse::make(carry->is_last, end, suspend);
    }
    return AllocBuffer::make(sums, Seq::make({begin, walk, end}));
  }

  /// Returns the guards that depend on the rows or the innermost step, or the others.
  static std::vector<Scalar> guards_of(const Contraction& c, bool of_rows) {
    std::vector<Scalar> out;
    for (const Scalar& guard : c.guards) {
      const bool moves = uses(guard, *c.loop(c.steps.back())) || (c.row && uses(guard, *c.loop(*c.row)));
      if (moves == of_rows) out.push_back(guard);
    }
    return out;
  }

  const Contraction& c_;
  const Tile tile_;
  const Scalar rows_, columns_, blocks_;
  const std::vector<Scalar> row_guards_ = guards_of(c_, true), step_guards_ = guards_of(c_, false);
};

}  // namespace

Stmt write_contraction(const Contraction& c, const Tile& tile) { return ContractionWriter(c, tile).run(); }

}  // namespace sunmao
