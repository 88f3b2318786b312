#include "passes/loop/matmul_tile_writer.h"

#include <algorithm>

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/loop_writing.h"

namespace sunmao {
namespace {

// The number of independent accumulator vectors that saturates the FMA units: 4 cycles of latency x 2 units.
constexpr int64_t kWantedVectors = 8;
constexpr int64_t kStepsAtOnce = 4;

}  // namespace

Ref<Buffer> MatmulTileWriter::accumulators(int64_t rows, int64_t copies) const {
  return Buffer::make("acc", mm_.c->dtype, {int_imm(copies), int_imm(rows), int_imm(mm_.nr)}, {.scope = "local"});
}

Stmt MatmulTileWriter::clear(const Ref<Buffer>& acc) const {
  const Scalar zero = constant(acc->dtype, 0);
  return unrolled_loop("u", *find_int(acc->shape[0]), [&](const Scalar& u) {
    return unrolled_loop("r", *find_int(acc->shape[1]), [&](const Scalar& r) {
      return unrolled_loop("v", mm_.nr / lanes_, [&](const Scalar& v) {
        return vector_loop("j", lanes_, [&](const Scalar& j) {
          return BufferStore::make(acc, zero, {u, r, sum(product(v, int_imm(lanes_)), j)});
        });
      });
    });
  });
}

// Emits the loop over k: acc[u, r, :] += left(r, step) * w[panel, step, :], unrolled by kStepsAtOnce. When the tile has
// few rows, consecutive steps add to different copies u of the accumulators, which are independent.
Stmt MatmulTileWriter::walk(const TilePlace& place, const Ref<Buffer>& acc, const Scalar& first_step,
                            const Scalar& steps, const Left& left) const {
  const int64_t copies = *find_int(acc->shape[0]);
  auto one_step = [&](const Scalar& copy, const Scalar& step) {
    const Scalar at = sum(first_step, step);
    return unrolled_loop("r", place.rows, [&](const Scalar& r) {
      return unrolled_loop("v", mm_.nr / lanes_, [&](const Scalar& v) {
        return vector_loop("j", lanes_, [&](const Scalar& j) {
          const Scalar lane = sum(product(v, int_imm(lanes_)), j);
          const std::vector<Scalar> place_in_acc{copy, r, lane};
          return BufferStore::make(acc, load(acc, place_in_acc) + left(r, step) * load(mm_.w, {place.panel, at, lane}),
                                   place_in_acc);
        });
      });
    });
  };
  const Scalar turns = compare(BinaryOp::FloorDiv, steps, int_imm(kStepsAtOnce));
  const Scalar done = product(turns, int_imm(kStepsAtOnce));
  const Scalar rest = compare(BinaryOp::Sub, steps, done);
  Stmt main = serial_loop("ko", turns, [&](const Scalar& ko) {
    return unrolled_loop("ki", kStepsAtOnce, [&](const Scalar& ki) {
      return one_step(compare(BinaryOp::FloorMod, ki, int_imm(copies)), sum(product(ko, int_imm(kStepsAtOnce)), ki));
    });
  });
  const int64_t* left_over = find_int(rest);
  if (left_over && *left_over == 0) return main;
  return Seq::make(
      {main, serial_loop("kr", rest, [&](const Scalar& kr) { return one_step(int_imm(0), sum(done, kr)); })});
}

Stmt MatmulTileWriter::fold_copies(const Ref<Buffer>& acc) const {
  return unrolled_loop("u", *find_int(acc->shape[0]) - 1, [&](const Scalar& u) {
    return unrolled_loop("r", *find_int(acc->shape[1]), [&](const Scalar& r) {
      return unrolled_loop("v", mm_.nr / lanes_, [&](const Scalar& v) {
        return vector_loop("j", lanes_, [&](const Scalar& j) {
          const Scalar lane = sum(product(v, int_imm(lanes_)), j);
          const std::vector<Scalar> first{int_imm(0), r, lane};
          return BufferStore::make(acc, load(acc, first) + load(acc, {sum(u, int_imm(1)), r, lane}), first);
        });
      });
    });
  });
}

Stmt MatmulTileWriter::for_rows(const TilePlace& place, const Scalar& row_limit, Mask mask,
                                const Element& element) const {
  return unrolled_loop("r", place.rows, [&](const Scalar& r) {
    Stmt row = unrolled_loop("v", mm_.nr / lanes_, [&](const Scalar& v) {
      return vector_loop("j", lanes_, [&](const Scalar& j) {
        const Scalar lane = sum(product(v, int_imm(lanes_)), j);
        const Scalar column = sum(product(place.panel, int_imm(mm_.nr)), lane);
        Stmt body = element(r, lane, column);
        return mask == Mask::Columns ? IfThenElse::make(compare(BinaryOp::Lt, column, mm_.n), body) : body;
      });
    });
    return row_limit ? IfThenElse::make(compare(BinaryOp::Lt, sum(place.first_row, r), row_limit), row) : row;
  });
}

Stmt MatmulTileWriter::for_elements(const TilePlace& place, const Scalar& row_limit, const Element& element) const {
  const int64_t* n = find_int(mm_.n);
  if (n && *n % mm_.nr == 0) return for_rows(place, row_limit, Mask::None, element);
  const Scalar end = product(sum(place.panel, int_imm(1)), int_imm(mm_.nr));
  return IfThenElse::make(compare(BinaryOp::Le, end, mm_.n), for_rows(place, row_limit, Mask::None, element),
                          for_rows(place, row_limit, Mask::Columns, element));
}

// Stores the accumulators to the output, after applying the epilogue.
Stmt MatmulTileWriter::finish(const TilePlace& place, const Ref<Buffer>& acc, const Scalar& row_limit) const {
  return for_elements(place, row_limit, [&](const Scalar& r, const Scalar& lane, const Scalar& column) {
    const Scalar value = load(acc, {int_imm(0), r, lane}), row = sum(place.first_row, r);
    if (!mm_.epilogue) return BufferStore::make(mm_.c, value, {row, column});
    const StoreNest& e = *mm_.epilogue;
    auto typed = [&](size_t loop, const Scalar& s) {
      return e.loops[loop]->dtype == s->dtype ? s : Cast::make(e.loops[loop]->dtype, s);
    };
    const Scalar body = map_loads(e.value, [&](const BufferLoad& l) { return l.buffer == mm_.c ? value : Scalar(); });
    return BufferStore::make(e.buffer, substitute(body, {{e.loops[0], typed(0, row)}, {e.loops[1], typed(1, column)}}),
                             {row, column});
  });
}

Stmt MatmulTileWriter::whole(const TilePlace& place) const {
  const int64_t vectors = place.rows * (mm_.nr / lanes_);
  const int64_t copies = std::clamp<int64_t>(kWantedVectors / vectors, 1, kStepsAtOnce);
  const Ref<Buffer> acc = accumulators(place.rows, copies);
  std::vector<Stmt> steps{clear(acc), walk(place, acc, int_imm(0), mm_.k, [&](const Scalar& row, const Scalar& step) {
                            return load(mm_.x, {sum(place.first_row, row), step});
                          })};
  if (copies > 1) steps.push_back(fold_copies(acc));
  steps.push_back(finish(place, acc, {}));
  return AllocBuffer::make(acc, Seq::make(std::move(steps)));
}

Stmt MatmulTileWriter::part(const TilePlace& place, const TilePart& part) const {
  const Ref<Buffer> acc = accumulators(place.rows, 1);
  const Ref<Buffer>& out = mm_.out();
  auto sums = [&](const Scalar& r, const Scalar& lane) { return std::vector<Scalar>{int_imm(0), r, lane}; };
  const Stmt resume = for_elements(place, mm_.m, [&](const Scalar& r, const Scalar& lane, const Scalar& column) {
    return BufferStore::make(acc, load(out, {sum(place.first_row, r), column}), sums(r, lane));
  });
  const Stmt suspend = for_elements(place, mm_.m, [&](const Scalar& r, const Scalar& lane, const Scalar& column) {
    return BufferStore::make(out, load(acc, sums(r, lane)), {sum(place.first_row, r), column});
  });
  const Stmt steps = walk(place, acc, part.first_step, part.steps, [&](const Scalar& row, const Scalar& step) {
    return load(part.copy, {sum(part.copy_row, row), step});
  });
  return AllocBuffer::make(acc, Seq::make({clear(acc), IfThenElse::make(Not::make(part.is_first), resume), steps,
                                           IfThenElse::make(part.is_last, finish(place, acc, mm_.m), suspend)}));
}

}  // namespace sunmao
