#include "passes/schedule/contraction/contraction_writer.h"

#include <algorithm>

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/epilogue.h"
#include "passes/loop/loop_writing.h"

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
  struct Rows {
    Scalar first;
    int64_t count;
  };
  struct Step {
    std::vector<Scalar> at;  // the numbers of the reduced loops, outermost first
    Scalar flat;             // its number within the part
  };
  /// Iterations of the first reduced loop, with all of the others.
  struct Part {
    Scalar first, count;
  };
  /// Copies of operands, null where they are read in place.
  struct Copies {
    Ref<Buffer> right, left;
  };
  /// Sums of rows that go from one part of the steps to the next.
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
      const auto take = [&](const Scalar& extent) {
        const Scalar number = compare(BinaryOp::FloorMod, rest, extent);
        rest = compare(BinaryOp::FloorDiv, rest, extent);
        return number;
      };
      const Scalar block = take(blocks_);
      Substitution at;
      for (size_t i = c_.outer.size(); i-- > 0;) {
        const size_t loop = c_.outer[i];
        at[c_.loop(loop)] = as_type_of(c_.loop(loop), take(as_index(c_.extent(loop))));
      }
      const Scalar first = parts > 1 ? product(rest, int_imm(tiles_each)) : int_imm(0);
      const Scalar count = parts > 1 ? min(int_imm(tiles_each), tiles - first) : tiles;
      Stmt body = for_columns(block, [&](const Columns& columns) {
        if (tile_.part > 0) return in_parts(columns, first, count, parts > 1 ? tiles_each : *all_tiles);
        return with_packed(columns, whole(), [&](const Ref<Buffer>& packed) {
          const auto brick = [&](const Rows& rows) {
            return this->brick(rows, columns, whole(), {.right = packed, .left = nullptr});
          };
          if (parts == 1) return for_rows(brick);
          return serial_loop("tile", count, [&](const Scalar& t) { return brick(rows_at(sum(first, t))); });
        });
      });
      return substitute(body, at);
    });
  }

  /// Threads take tiles of rows, which stay in the cache while all columns pass.
  Stmt rows_outside() const {
    return parallel_loop("tile", row_tiles(), worth_threads(), [&](const Scalar& t) {
      const Rows rows = rows_at(t);
      Stmt body =
          with_outer(true, with_rows(rows, [&](const Ref<Buffer>& copy) {
                       return with_outer(false, serial_loop("block", blocks_, [&](const Scalar& block) {
                                           return for_columns(block, [&](const Columns& columns) {
                                             return brick(rows, columns, whole(), {.right = nullptr, .left = copy});
                                           });
                                         }));
                     }));
      return body;
    });
  }

  /// Puts the outer loops around `body`: those that move the left operand, or the others.
  Stmt with_outer(bool of_left, Stmt body) const {
    for (size_t i = c_.outer.size(); i-- > 0;)
      if (uses(c_.left, *c_.loop(c_.outer[i])) == of_left)
        body = For::make(c_.loop(c_.outer[i]), c_.extent(c_.outer[i]), body);
    return body;
  }

  /// Copies rows of the left operand, with a distance that spreads them over cache sets.
  Stmt with_rows(const Rows& rows, const std::function<Stmt(const Ref<Buffer>&)>& body) const {
    if (!tile_.packs_left) return body(nullptr);
    const Ref<Buffer> copy =
        Buffer::make("rows", c_.left->dtype, {int_imm(rows.count), sum(step_count(whole()), int_imm(tile_.lanes))},
                     {.scope = "local"});
    Stmt fill = serial_loop("r", int_imm(rows.count), [&](const Scalar& r) {
      return for_steps(whole(), [&](const Step& step) {
        return BufferStore::make(copy, operand(c_.left, step, sum(rows.first, r), nullptr), {r, step.flat});
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
  Stmt for_rows(const OfRows& body) const {
    const Scalar tiles = row_tiles();
    Stmt full = serial_loop("tile", tiles, [&](const Scalar& t) { return body(rows_at(t)); });
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
    Stmt rest = body({first, vectors, is_masked ? columns_ : Scalar()});
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

  /// Emits the loops over the steps in their order; a few steps of the innermost loop stand behind each other.
  Stmt for_steps(const Part& part, const std::function<Stmt(const Step&)>& body) const {
    return for_steps(part, body, {.at = {}, .flat = int_imm(0)});
  }
  Stmt for_steps(const Part& part, const std::function<Stmt(const Step&)>& body, const Step& outside) const {
    const size_t depth = outside.at.size();
    if (depth == c_.steps.size()) return body(outside);
    const size_t loop = c_.steps[depth];
    const Scalar extent = depth == 0 ? part.count : as_index(c_.extent(loop));
    const auto inner = [&](const Scalar& number) {
      Step next = outside;
      next.at.push_back(depth == 0 ? sum(part.first, number) : number);
      next.flat = sum(product(outside.flat, extent), number);
      return for_steps(part, body, next);
    };
    const std::string& name = c_.loop(loop)->name;
    const int64_t* known = find_int(extent);
    if (depth + 1 < c_.steps.size() || !known) return serial_loop(name, extent, inner);
    if (*known <= kUnrolledSteps) return unrolled_loop(name, *known, inner);
    if (*known % kUnrolledSteps != 0) return serial_loop(name, extent, inner);
    return serial_loop(name, int_imm(*known / kUnrolledSteps), [&](const Scalar& turn) {
      return unrolled_loop(name, kUnrolledSteps,
                           [&](const Scalar& u) { return inner(sum(product(turn, int_imm(kUnrolledSteps)), u)); });
    });
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

  /// Emits body(vector, lane, number of the column) for each vector of the columns.
  Stmt for_lanes(const Columns& columns, const std::function<Stmt(const Scalar& lane, const Scalar& at)>& body) const {
    return unrolled_loop("v", columns.vectors, [&](const Scalar& v) {
      return vector_loop("j", tile_.lanes, [&](const Scalar& j) {
        const Scalar lane = sum(product(v, int_imm(tile_.lanes)), j);
        return body(lane, sum(columns.first, lane));
      });
    });
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
        return for_lanes(columns, [&](const Scalar& lane, const Scalar& column) { return store(step, lane, column); });
      });
    else  // rows of memory are read along the steps
      fill = serial_loop("j", int_imm(width), [&](const Scalar& j) {
        return for_steps(part, [&](const Step& step) { return store(step, j, sum(columns.first, j)); });
      });
    return AllocBuffer::make(packed, Seq::make({fill, body(packed)}));
  }

  /// All tiles of rows on one part of the steps, then on the next.
  Stmt in_parts(const Columns& columns, const Scalar& first_tile, const Scalar& tiles, int64_t most_tiles) const {
    const int64_t all = *find_int(c_.extent(c_.steps[0])), parts = (all + tile_.part - 1) / tile_.part;
    const Ref<Buffer> carried =
        Buffer::make("carried", c_.nest.buffer->dtype,
                     {int_imm(most_tiles * tile_.rows), int_imm(columns.vectors * tile_.lanes)}, {.scope = "local"});
    return AllocBuffer::make(
        carried, serial_loop("part", int_imm(parts), [&](const Scalar& p) {
          const Scalar first = product(p, int_imm(tile_.part));
          const Part part{first,
                          all % tile_.part == 0 ? int_imm(tile_.part) : min(int_imm(tile_.part), int_imm(all) - first)};
          return with_packed(columns, part, [&](const Ref<Buffer>& packed) {
            return serial_loop("tile", tiles, [&](const Scalar& t) {
              const Carried carry{.sums = carried,
                                  .first_row = product(t, int_imm(tile_.rows)),
                                  .is_first = compare(BinaryOp::Eq, p, int_imm(0)),
                                  .is_last = compare(BinaryOp::Eq, p, int_imm(parts - 1))};
              return brick(rows_at(sum(first_tile, t)), columns, part, {.right = packed, .left = nullptr}, carry);
            });
          });
        }));
  }

  Stmt brick(const Rows& rows, const Columns& columns, const Part& part, const Copies& copies,
             const std::optional<Carried>& carry = {}) const {
    const DType dtype = c_.nest.buffer->dtype;
    const Ref<Buffer> sums =
        Buffer::make("sums", dtype, {int_imm(rows.count), int_imm(columns.vectors * tile_.lanes)}, {.scope = "local"});
    const auto for_sums = [&](const std::function<Stmt(const Scalar& r, const Scalar& lane, const Scalar& at)>& body) {
      return unrolled_loop("r", rows.count, [&](const Scalar& r) {
        return for_lanes(columns, [&](const Scalar& lane, const Scalar& at) { return body(r, lane, at); });
      });
    };
    Stmt begin = for_sums([&](const Scalar& r, const Scalar& lane, const Scalar&) {
      return BufferStore::make(sums, c_.nest.init, {r, lane});
    });
    Stmt walk = for_steps(part, [&](const Step& step) {
      return for_sums([&](const Scalar& r, const Scalar& lane, const Scalar& column) {
        const Scalar column_of_left = c_.is_left_vector ? column : Scalar();
        Scalar right = copies.right ? load(copies.right, {step.flat, lane}) : operand(c_.right, step, nullptr, column);
        Scalar left = copies.left ? load(copies.left, {r, step.flat})
                                  : operand(c_.left, step, sum(rows.first, r), column_of_left);
        if (c_.is_left_vector) left = if_below(columns.limit, column, left);
        if (!copies.right) right = if_below(columns.limit, column, right);
        return BufferStore::make(sums, load(sums, {r, lane}) + left * right, {r, lane});
      });
    });
    Stmt end = for_sums([&](const Scalar& r, const Scalar& lane, const Scalar& column) {
      Substitution map{{c_.loop(c_.column), as_type_of(c_.loop(c_.column), column)}};
      if (c_.row) map[c_.loop(*c_.row)] = as_type_of(c_.loop(*c_.row), sum(rows.first, r));
      Stmt store = substitute(store_result(c_.nest, c_.epilogue, load(sums, {r, lane})), map);
      if (!columns.limit) return store;
      return IfThenElse::make(Binary::make(BinaryOp::Lt, column, columns.limit), store);
    });
    if (carry) {
      const auto kept = [&](const Scalar& r, const Scalar& lane) {
        return std::vector<Scalar>{sum(carry->first_row, r), lane};
      };
      Stmt resume = for_sums([&](const Scalar& r, const Scalar& lane, const Scalar&) {
        return BufferStore::make(sums, load(carry->sums, kept(r, lane)), {r, lane});
      });
      Stmt suspend = for_sums([&](const Scalar& r, const Scalar& lane, const Scalar&) {
        return BufferStore::make(carry->sums, load(sums, {r, lane}), kept(r, lane));
      });
      begin = IfThenElse::make(carry->is_first, begin, resume);
      end = IfThenElse::make(carry->is_last, end, suspend);
    }
    return AllocBuffer::make(sums, Seq::make({begin, walk, end}));
  }

  const Contraction& c_;
  const Tile tile_;
  const Scalar rows_, columns_, blocks_;
};

}  // namespace

Stmt write_contraction(const Contraction& c, const Tile& tile) { return ContractionWriter(c, tile).run(); }

}  // namespace sunmao
