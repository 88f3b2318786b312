#include "passes/schedule/contraction/dots.h"

#include <algorithm>
#include <functional>

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/epilogue.h"
#include "passes/loop/loop_writing.h"
#include "passes/loop/vectorize_loops.h"
#include "passes/schedule/contraction/contraction_loops.h"
#include "passes/schedule/contraction/step.h"

namespace sunmao {
namespace {

class DotsWriter {
 public:
  DotsWriter(const Contraction& c, const Dots& dots)
      : c_(c), dots_(dots), rows_(c.row ? as_index(c.extent(*c.row)) : int_imm(1)),
        columns_(as_index(c.extent(c.column))) {}

  /// Threads take iterations of the outer loops, and parts of the tiles where there are too few of these.
  Stmt run() const {
    const Scalar row_tiles = ceil_div(rows_, dots_.rows), tiles = product(row_tiles, ceil_div(columns_, dots_.columns));
    Scalar outer = int_imm(1);
    for (size_t i : c_.outer) outer = product(outer, as_index(c_.extent(i)));
    const int64_t *all = find_int(tiles), *outside = find_int(outer);
    const int64_t wanted = outside ? (dots_.machine.wanted_tasks() + *outside - 1) / std::max<int64_t>(1, *outside) : 1;
    const int64_t each = all ? std::max<int64_t>(1, *all / wanted) : 0;
    const Scalar parts = all ? int_imm((*all + each - 1) / each) : int_imm(1);
    return parallel_loop("task", product(parts, outer), worth_threads(c_), [&](const Scalar& task) {
      const Scalar first = product(compare(BinaryOp::FloorMod, task, parts), int_imm(each));
      Substitution at;
      std::vector<Ref<SymVar>> loops;
      std::vector<Scalar> extents;
      for (size_t i : c_.outer) {
        loops.push_back(c_.loop(i));
        extents.push_back(c_.extent(i));
      }
      split_number(compare(BinaryOp::FloorDiv, task, parts), loops, extents, at);
      const Scalar count = !all ? tiles : *all % each == 0 ? int_imm(each) : min(int_imm(each), tiles - first);
      return substitute(serial_loop("tile", count, [&](const Scalar& t) { return tile(sum(first, t), row_tiles); }),
                        at);
    });
  }

 private:
  struct Block {
    Scalar first;
    int64_t count;
  };

  /// Emits the body for a block of rows or columns; the last one has what is left, one by one where that is not known.
  static Stmt block(const Scalar& number, const Scalar& extent, int64_t size,
                    const std::function<Stmt(const Block&)>& body) {
    const Scalar first = product(number, int_imm(size));
    if (size == 1) return body({first, 1});
    const int64_t* known = find_int(extent);
    if (known && *known % size == 0) return body({first, size});
    if (known && *known < size) return body({int_imm(0), *known});
    if (known)
      return IfThenElse::make(compare(BinaryOp::Eq, number, int_imm(*known / size)),
                              body({int_imm(*known / size * size), *known % size}), body({first, size}));
    return IfThenElse::make(
        compare(BinaryOp::Le, sum(first, int_imm(size)), extent), body({first, size}),
        serial_loop("rest", extent - first, [&](const Scalar& i) { return body({sum(first, i), 1}); }));
  }

  Stmt tile(const Scalar& number, const Scalar& row_tiles) const {
    const Scalar row = compare(BinaryOp::FloorMod, number, row_tiles),
                 column = compare(BinaryOp::FloorDiv, number, row_tiles);
    return block(row, rows_, dots_.rows, [&](const Block& rows) {
      return block(column, columns_, dots_.columns, [&](const Block& columns) { return sums_of(rows, columns); });
    });
  }

  Substitution place(const Scalar& row, const Scalar& column) const {
    Substitution at{{c_.loop(c_.column), as_type_of(c_.loop(c_.column), column)}};
    if (c_.row) at[c_.loop(*c_.row)] = as_type_of(c_.loop(*c_.row), row);
    return at;
  }

  Stmt sums_of(const Block& rows, const Block& columns) const {
    const DType dtype = c_.nest.buffer->dtype;
    const Scalar width = int_imm(dots_.lanes);
    const Ref<Buffer> sums =
        Buffer::make("sums", dtype, {int_imm(rows.count), int_imm(columns.count * dots_.lanes)}, {.scope = "local"});
    const auto for_sums = [&](const std::function<Stmt(const Scalar& r, const Scalar& o)>& body) {
      return unrolled_loop("r", rows.count, [&](const Scalar& r) {
        return unrolled_loop("o", columns.count, [&](const Scalar& o) { return body(r, o); });
      });
    };
    const auto for_lanes = [&](const std::function<Stmt(const Scalar& r, const Scalar& o, const Scalar& j)>& body) {
      return for_sums([&](const Scalar& r, const Scalar& o) {
        return vector_loop("j", dots_.lanes, [&](const Scalar& j) { return body(r, o, j); });
      });
    };
    Stmt begin = for_lanes([&](const Scalar& r, const Scalar& o, const Scalar& j) {
      return BufferStore::make(sums, constant(dtype, 0), {r, sum(product(o, width), j)});
    });
    const auto add = [&](const Scalar& first, const Scalar& limit) {
      return for_lanes([&](const Scalar& r, const Scalar& o, const Scalar& j) {
        Substitution at = place(sum(rows.first, r), sum(columns.first, o));
        at[c_.loop(dots_.step)] = as_type_of(c_.loop(dots_.step), sum(first, j));
        const auto there = [&](const Scalar& operand) {
          const Scalar value = substitute(operand, at);
          return limit ? ScalarCall::make("if_then_else", value->dtype,
                                          {Binary::make(BinaryOp::Lt, j, limit), value, constant(value->dtype, 0)})
                       : value;
        };
        const Scalar lane = sum(product(o, width), j);
        return BufferStore::make(sums, step_sum(c_, load(sums, {r, lane}), there(c_.left), there(c_.right)), {r, lane});
      });
    };
    const int64_t steps = *find_int(c_.extent(dots_.step)), left = steps % dots_.lanes;
    std::vector<Stmt> inner{serial_loop(c_.loop(dots_.step)->name, int_imm(steps / dots_.lanes),
                                        [&](const Scalar& v) { return add(product(v, width), nullptr); })};
    if (left > 0) inner.push_back(add(int_imm(steps - left), int_imm(left)));
    Stmt walk = Seq::make(std::move(inner));
    for (size_t i = c_.steps.size(); i-- > 0;) {
      const Ref<SymVar>& step = c_.loop(c_.steps[i]);
      if (c_.steps[i] != dots_.step)
        walk = serial_loop(step->name, as_index(c_.extent(c_.steps[i])),
                           [&](const Scalar& number) { return substitute(walk, {{step, as_type_of(step, number)}}); });
    }
    return AllocBuffer::make(sums, Seq::make({begin, walk, results(sums, rows, columns)}));
  }

  /// Adds the halves of each sum until one number is left, and stores the results of a row as a vector.
  Stmt results(const Ref<Buffer>& sums, const Block& rows, const Block& columns) const {
    const DType dtype = sums->dtype;
    const Ref<Buffer> row =
        Buffer::make("results", dtype, {int_imm(rows.count), int_imm(dots_.lanes)}, {.scope = "local"});
    Stmt fold = unrolled_loop("r", rows.count, [&](const Scalar& r) {
      return unrolled_loop("o", columns.count, [&](const Scalar& o) {
        const Scalar start = product(o, int_imm(dots_.lanes));
        std::vector<Stmt> steps;
        for (int64_t half = dots_.lanes / 2; half > 0; half /= 2)
          steps.push_back(vector_loop("j", half, [&](const Scalar& j) {
            const Scalar lane = sum(start, j);
            return BufferStore::make(sums, load(sums, {r, lane}) + load(sums, {r, sum(lane, int_imm(half))}),
                                     {r, lane});
          }));
        const Scalar all = load(sums, {r, start});
        const bool from_zero = structural_equal(c_.nest.init, constant(dtype, 0));
        steps.push_back(BufferStore::make(row, from_zero ? all : c_.nest.init + all, {r, o}));
        return Seq::make(std::move(steps));
      });
    });
    Stmt store = unrolled_loop("r", rows.count, [&](const Scalar& r) {
      return vector_loop("j", dots_.lanes, [&](const Scalar& j) {
        const Stmt result = substitute(store_result(c_.nest, c_.epilogue, load(row, {r, j})),
                                       place(sum(rows.first, r), sum(columns.first, j)));
        if (columns.count == dots_.lanes) return result;
        return IfThenElse::make(Binary::make(BinaryOp::Lt, j, int_imm(columns.count)), result);
      });
    });
    return AllocBuffer::make(row, Seq::make({fold, store}));
  }

  const Contraction& c_;
  const Dots dots_;
  const Scalar rows_, columns_;
};

bool are_vectors(const Contraction& c, const Dots& dots) {
  const Ref<SymVar>& step = c.loop(dots.step);
  const Stmt store =
      BufferStore::make(Buffer::make("probe", c.left->dtype, {c.extent(dots.step)}), c.left * c.right, {step});
  return vectorize(store, step, IntImm::make(step->dtype, 0), static_cast<int>(dots.lanes)).has_value();
}

/// Returns the tiles whose sums registers hold, that of least loads and multiply-adds first; an extent of 0 is not
/// known.
std::vector<Dots> tiles_by_cost(Dots dots, int64_t rows, int64_t columns, int64_t registers) {
  constexpr int64_t kMostColumns = 12, kMany = 64;
  std::vector<std::pair<double, Dots>> all;
  for (int64_t wide = 1; wide <= std::min({dots.lanes, kMostColumns, columns > 0 ? columns : kMany}); ++wide) {
    const int64_t read_again = rows == 1 ? 0 : wide;
    const int64_t high = std::min((registers - 1 - read_again) / wide, rows > 0 ? rows : kMany);
    if (high < 1) break;
    const int64_t blocks = ((columns > 0 ? columns : kMany) + wide - 1) / wide;
    dots.columns = wide;
    dots.rows = high;
    all.emplace_back(static_cast<double>(blocks * (wide * high + wide + high)) / static_cast<double>(high), dots);
  }
  std::ranges::stable_sort(all, std::less(), &std::pair<double, Dots>::first);
  std::vector<Dots> out;
  for (const auto& [cost, tile] : all) out.push_back(tile);
  return out;
}

}  // namespace

std::optional<size_t> find_dot_step(const Contraction& c, const Scalar& operand) {
  constexpr int64_t kWidestVector = 64;  // bytes, of any target
  for (size_t i = c.steps.size(); i-- > 0;) {
    const size_t step = c.steps[i];
    if (c.known_extent(step) * c.nest.buffer->dtype.bytes() >= kWidestVector && uses(operand, *c.loop(step)) &&
        is_contiguous(operand, c.loop(step)))
      return step;
  }
  return std::nullopt;
}

bool are_dots(const Contraction& c) {
  constexpr int64_t kMostRows = 8;  // more pay for copies of the columns
  if (c.is_left_vector || c.panels || !is_multiply_add(c)) return false;
  const int64_t rows = c.row ? c.known_extent(*c.row) : 1, columns = c.known_extent(c.column);
  return (columns > 0 && columns <= kFewColumns) || (rows > 0 && rows < kMostRows);
}

std::vector<Dots> dots_by_cost(const Contraction& c, const Target& target) {
  const std::optional<size_t> step = find_dot_step(c, c.left);
  if (!step || !are_dots(c) || !uses(c.right, *c.loop(*step)) || !is_contiguous(c.right, c.loop(*step)) ||
      is_contiguous(c.right, c.loop(c.column)))
    return {};
  const int64_t rows = c.row ? c.known_extent(*c.row) : 1, columns = c.known_extent(c.column);
  const Dots dots{.machine = target.machine, .step = *step, .lanes = step_lanes(c, target)};
  if (dots.lanes < 2 || c.known_extent(*step) < dots.lanes || !are_vectors(c, dots)) return {};
  return tiles_by_cost(dots, rows, columns, target.isa.vector_registers);
}

std::optional<Dots> choose_dots(const Contraction& c, const Target& target) {
  const std::vector<Dots> all = dots_by_cost(c, target);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

Stmt write_dots(const Contraction& c, const Dots& dots) { return DotsWriter(c, dots).run(); }

}  // namespace sunmao
