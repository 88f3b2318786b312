#include "passes/schedule/contraction/brick_writer.h"

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/epilogue.h"
#include "passes/loop/loop_writing.h"

namespace sunmao {

Scalar BrickWriter::limit_of(const Columns& columns, const Column& column) {
  return columns.limit ? compare(BinaryOp::Sub, columns.limit, column.start) : Scalar();
}

Scalar BrickWriter::there(const Columns& columns, const Column& column, const Scalar& operands) const {
  return at_once_ == 1 ? if_below(columns.limit, column.lane, operands)
                       : bundles_below(c_, operands, limit_of(columns, column));
}

Stmt BrickWriter::brick(const Rows& rows, const Columns& columns, const Part& part, const Copies& copies,
                        const std::optional<Carried>& carry) const {
  const DType dtype = c_.nest.buffer->dtype;
  const Ref<Buffer> sums =
      Buffer::make("sums", dtype, {int_imm(rows.count), int_imm(columns.vectors * tile_.lanes)}, {.scope = "local"});
  const auto for_sums = [&](const std::function<Stmt(const Scalar& r, const Column& column)>& body) {
    return unrolled_loop("r", rows.count, [&](const Scalar& r) {
      return for_lanes(columns, [&](const Column& column) { return body(r, column); });
    });
  };
  const auto in_place = [&](const Scalar& r, const Column& column) {
    Substitution map{{c_.loop(c_.column), as_type_of(c_.loop(c_.column), column.at)}};
    if (c_.row) map[c_.loop(*c_.row)] = as_type_of(c_.loop(*c_.row), row_of(rows, r));
    return map;
  };
  std::optional<FirstAddend> addend = first_addend(c_.nest, c_.epilogue);
  if (addend && (columns.few || (c_.row && uses(addend->value, *c_.loop(*c_.row))))) addend.reset();
  const std::optional<StoreNest> epilogue = addend ? addend->epilogue : c_.epilogue;
  Stmt begin = for_sums([&](const Scalar& r, const Column& column) {
    const Scalar first =
        addend ? if_below(columns.limit, column.lane, substitute(addend->value, in_place(r, column))) : c_.nest.init;
    return BufferStore::make(sums, first, {r, column.lane});
  });
  const Ref<Buffer> pairs =
      tile_.adds_pairs
          ? Buffer::make("pairs", dtype, {sums->shape[0], product(sums->shape[1], int_imm(2))}, {.scope = "local"})
          : nullptr;
  const auto pairs_of = [&](const Scalar& r, const Column& column) {
    return std::vector{r, Ramp::make(product(column.lane, int_imm(2)), int_imm(1), static_cast<int>(2 * at_once_))};
  };
  const auto add = [&](const Ref<Buffer>& copy, const Step& step, const Scalar& r, const Column& column) {
    const Scalar lanes = at_once_ == 1 ? column.lane : Ramp::make(column.lane, int_imm(1), static_cast<int>(at_once_));
    Scalar left = copies.left ? load_copied(c_, copies.left, {sum(copies.first_row, r), step.flat})
                              : step_operands(c_, left_operand(step, row_of(rows, r), columns, column), 1, step.taken);
    if (c_.is_left_vector) left = if_below(columns.limit, column.lane, left);
    const Scalar right =
        copy ? load_copied(c_, copy, {step.flat, column.lane}, at_once_)
             : there(columns, column, step_operands(c_, right_operand(step, columns, column), at_once_));
    if (pairs) {
      const std::vector<Scalar> at = pairs_of(r, column);
      return BufferStore::make(pairs, pair_sums(load(pairs, at), left, right), at);
    }
    return BufferStore::make(sums, step_sum(c_, load(sums, {r, lanes}), left, right), {r, lanes});
  };
  const auto add_row = [&](const Ref<Buffer>& copy, const Step& step, const Scalar& r) {
    Stmt row = for_step_columns(columns, [&](const Column& column) { return add(copy, step, r, column); });
    if (row_guards_.empty() || rows.are_inside) return row;
    return IfThenElse::make(all_of(row_guards_, step, sum(rows.first, r)), row);
  };
  const auto ahead = [&](const Step& iteration) {
    return copies.right ? Stmt() : prefetch_next(rows, part, iteration, columns);
  };
  const int64_t taps = window_taps(c_);
  const auto walk_on = [&](const Ref<Buffer>& copy) {
    if (taps == 0)
      return for_steps(part,
                       [&](const Step& step) {
                         return unrolled_loop("r", rows.count, [&](const Scalar& r) { return add_row(copy, step, r); });
                       },
                       {.most = rows.count > 1 ? tile_.steps_at_once : 1, .before = ahead});
    return for_windows(part, [&](const Step& window) {
      return unrolled_loop("r", rows.count, [&](const Scalar& r) {
        return unrolled_loop(c_.loop(c_.steps.back())->name, taps,
                             [&](const Scalar& tap) { return add_row(copy, next_step(part, window, tap), r); });
      });
    });
  };
  const Stmt walk = copies.has_right ? IfThenElse::make(copies.has_right, walk_on(copies.right), walk_on(nullptr))
                                     : walk_on(copies.right);
  const auto if_there = [&](const Column& column, const Scalar& limit, const Stmt& store) {
    return limit ? IfThenElse::make(Binary::make(BinaryOp::Lt, column.lane, limit), store) : store;
  };
  const auto finish = [&](const Ref<Buffer>& of, const Scalar& r, const Column& column, const Scalar& limit) {
    const Stmt store = store_result(c_.nest, epilogue, load(of, {r, column.lane}));
    return if_there(column, limit, substitute(store, in_place(r, column)));
  };
  const auto end_below = [&](const Scalar& limit) {
    if (is_long_epilogue(epilogue)) {
      const Ref<Buffer> results = Buffer::make("results", dtype, sums->shape, {.scope = "local"});
      Stmt keep = for_sums([&](const Scalar& r, const Column& column) {
        return BufferStore::make(results, load(sums, {r, column.lane}), {r, column.lane});
      });
      Stmt rest = serial_loop("r", int_imm(rows.count), [&](const Scalar& r) {
        return for_lanes(columns, [&](const Column& column) { return finish(results, r, column, limit); });
      });
      return AllocBuffer::make(results, Seq::make({keep, rest}));
    }
    return for_sums([&](const Scalar& r, const Column& column) { return finish(sums, r, column, limit); });
  };
  Stmt end = columns.few ? IfThenElse::make(compare(BinaryOp::Ge, columns.few, int_imm(tile_.columns())),
                                            end_below(columns.limit), end_below(columns.few))
                         : end_below(columns.limit);
  if (carry) {
    const StoreNest& out = epilogue ? *epilogue : c_.nest;
    const auto place = [&](const Scalar& r, const Column& column) {
      if (carry->sums) return std::vector<Scalar>{sum(carry->first_row, r), sum(carry->first_column, column.lane)};
      std::vector<Scalar> indices;
      for (const Scalar& i : out.indices) indices.push_back(substitute(i, in_place(r, column)));
      return indices;
    };
    const Ref<Buffer>& kept = carry->sums ? carry->sums : out.buffer;
    Stmt resume = for_sums([&](const Scalar& r, const Column& column) {
      const Scalar before = load(kept, place(r, column));
      return BufferStore::make(sums, carry->sums ? before : if_below(columns.limit, column.lane, before),
                               {r, column.lane});
    });
    Stmt suspend = for_sums([&](const Scalar& r, const Column& column) {
      const Stmt store = BufferStore::make(kept, load(sums, {r, column.lane}), place(r, column));
      return carry->sums ? store : if_there(column, columns.limit, store);
    });
    begin = IfThenElse::make(carry->is_first, begin, resume);
    end = IfThenElse::make(carry->is_last, end, suspend);
  }
  if (!pairs) return AllocBuffer::make(sums, Seq::make({begin, walk, end}));
  const auto for_pairs = [&](const std::function<Stmt(const Scalar& r, const Column& column)>& body) {
    return unrolled_loop("r", rows.count, [&](const Scalar& r) {
      return for_vectors(columns, [&](const Column& column) { return body(r, column); });
    });
  };
  Stmt clear = for_pairs([&](const Scalar& r, const Column& column) {
    return BufferStore::make(pairs, Broadcast::make(constant(dtype, 0), static_cast<int>(2 * at_once_)),
                             pairs_of(r, column));
  });
  Stmt add_up = for_pairs([&](const Scalar& r, const Column& column) {
    const std::vector<Scalar> at{r, Ramp::make(column.lane, int_imm(1), static_cast<int>(at_once_))};
    return BufferStore::make(sums, load(sums, at) + sums_of_pairs(load(pairs, pairs_of(r, column))), at);
  });
  return AllocBuffer::make(pairs, AllocBuffer::make(sums, Seq::make({clear, walk, begin, add_up, end})));
}

}  // namespace sunmao
