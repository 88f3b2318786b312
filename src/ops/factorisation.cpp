// Factorisations of matrices in a fixed number of steps: QR and LU; and the exponential of a matrix. Leading axes are
// batch axes.
#include "ops/factors.h"
#include "ops/ops.h"
#include "ops/reflections.h"

namespace sunmao {
namespace {

Type infer_qr(const InferInput& in) {
  need_matrices(in, 0);  // C1, C2
  const TensorType& a = in.tensor(0);
  if (!written(a)) {
    const Type unknown = TensorType::make_unknown(a.dtype, a.rank, a.vdevice);
    return TupleType::make({unknown, unknown});
  }
  const Scalar &rows = rows_of(a), &columns = columns_of(a);
  const Scalar kept = in.bool_attr("complete") ? rows : fewer(in, rows, columns);
  return TupleType::make({in_batch_of(a, a.dtype, {rows, kept}), in_batch_of(a, a.dtype, {kept, columns})});
}

Ref<BaseFunc> lower_qr(const Call& call) {
  KernelBuilder k("qr");
  const std::vector<Type>& results = find<TupleType>(call.type)->fields;
  Ref<Buffer> a = k.input("A", call.args[0]->type), q = k.output("T_q", results[0]), r = k.output("T_r", results[1]);
  const auto columns = LocalMatrix::Pieces::Columns;
  const LocalMatrix m("m", kFloat64, rows_of(a), columns_of(a), columns),
      turn("turn", kFloat64, rows_of(a), columns_of(q), columns);
  const Reflections reflections(m);
  k.steps({.name = "qr",
           .spatial = batch_of(a),
           .reads = {a},
           .writes = {q, r},
           .locals = joined(reflections.locals(), {m.buffer(), turn.buffer()}),
           .body = [&](const Indices& at) {
             Stmt triangle = each_of(r, [&](const Scalar& i, const Scalar& j) {
               return store(r, LocalMatrix::place(at, i, j), choose(less(j, i), float64(0), m.at(i, j)));
             });
             return in_order({m.copy(a, at), reflections.factorise(), turn.set_to_identity(), reflections.apply(turn),
                              turn.write(q, at), triangle});
           }});
  return std::move(k).finish();
}

Type infer_lu_factor(const InferInput& in) {
  need_matrices(in, 0);  // C1, C2
  const TensorType& a = in.tensor(0);
  if (!written(a)) {
    const int rank = a.rank == kUnknownRank ? kUnknownRank : a.rank - 1;
    return TupleType::make({in.type(0), TensorType::make_unknown(kInt32, rank, a.vdevice)});
  }
  return TupleType::make({in.type(0), in_batch_of(a, kInt32, {fewer(in, rows_of(a), columns_of(a))})});
}

// Gaussian elimination with partial pivoting, which keeps the factors of rows.
Ref<BaseFunc> lower_lu_factor(const Call& call) {
  KernelBuilder k("lu_factor");
  const std::vector<Type>& results = find<TupleType>(call.type)->fields;
  Ref<Buffer> a = k.input("A", call.args[0]->type), lu = k.output("T_lu", results[0]),
              pivots = k.output("T_pivots", results[1]);
  const DType wide = accumulator(a->dtype);
  const LocalMatrix m("m", wide, rows_of(a), columns_of(a));
  const Cell pivot("pivot", kInt64), spare("spare", wide);
  const auto step = [&](const Indices& at, const Scalar& c) {
    const Scalar after = c + int_imm(1);
    Stmt look = repeat("p", m.rows() - after, [&](const Scalar& p) {
      return when(less(intrinsic("abs", m.at(pivot.get(), c)), intrinsic("abs", m.at(after + p, c))),
                  pivot.set(after + p));
    });
    Stmt clear = repeat("p", m.rows() - after, [&](const Scalar& p) {
      const Scalar row = after + p;
      Stmt rest = repeat("e", m.columns() - after, [&](const Scalar& e) {
        return m.set(row, after + e, m.at(row, after + e) - m.at(row, c) * m.at(c, after + e));
      });
      return in_order({m.set(row, c, divide(m.at(row, c), m.at(c, c))), rest});
    });
    Indices place = at;
    place.push_back(c);
    return in_order({pivot.set(c), look, store(pivots, place, pivot.get() + int_imm(1)),
                     when(Binary::make(BinaryOp::Ne, pivot.get(), c), m.swap_rows(c, pivot.get(), spare)),
                     when(Binary::make(BinaryOp::Ne, m.at(c, c), constant(wide, 0)), clear)});
  };
  k.steps({.name = "lu_factor",
           .spatial = batch_of(a),
           .reads = {a},
           .writes = {lu, pivots},
           .locals = {m.buffer(), pivot.buffer(), spare.buffer()},
           .body = [&](const Indices& at) {
             return in_order({m.copy(a, at),
                              repeat("c", pivots->shape.back(), [&](const Scalar& c) { return step(at, c); }),
                              m.write(lu, at)});
           }});
  return std::move(k).finish();
}

Type infer_row_order(const InferInput& in) {
  need_matrices(in, 0);  // C1
  const TensorType &a = in.tensor(0), &pivots = in.tensor(1);
  need_integers(in, "pivots", pivots.dtype);  // C2
  shared_vdevice(in, {&a, &pivots});
  if (a.rank != kUnknownRank) need_rank(in, 1, a.rank - 1);  // C3
  if (!written(a)) return TensorType::make_unknown(kInt64, a.rank == kUnknownRank ? a.rank : a.rank - 1, a.vdevice);
  std::vector<Scalar> wanted(written(a)->begin(), written(a)->end() - 2);
  wanted.push_back(fewer(in, rows_of(a), columns_of(a)));
  need_dims(in, 1, wanted);
  return in_batch_of(a, kInt64, {rows_of(a)});
}

Ref<BaseFunc> lower_row_order(const Call& call) {
  KernelBuilder k("lu_row_order");
  k.input("A", call.args[0]->type);
  Ref<Buffer> pivots = k.input("pivots", call.args[1]->type), y = k.output("T_order", call.type);
  const LocalVector order("order", kInt64, y->shape.back());
  const Cell spare("spare", kInt64), other("other", kInt64);
  const auto with = [](Indices at, const Scalar& i) {
    at.push_back(i);
    return at;
  };
  k.steps({.name = "lu_row_order",
           .spatial = {y->shape.begin(), y->shape.end() - 1},
           .reads = {pivots},
           .writes = {y},
           .locals = {order.buffer(), spare.buffer(), other.buffer()},
           .body = [&](const Indices& at) {
             Stmt count = repeat("i", y->shape.back(), [&](const Scalar& i) { return order.set(i, i); });
             Stmt swaps = repeat("p", pivots->shape.back(), [&](const Scalar& p) {
               const Scalar place = as_index(load(pivots, with(at, p))) - int_imm(1);
               return in_order({other.set(checked(call, place, y->shape.back())), spare.set(order.at(p)),
                                order.set(p, order.at(other.get())), order.set(other.get(), spare.get())});
             });
             Stmt write =
                 repeat("i", y->shape.back(), [&](const Scalar& i) { return store(y, with(at, i), order.at(i)); });
             return in_order({count, swaps, write});
           }});
  return std::move(k).finish();
}

Type infer_matrix_exp(const InferInput& in) {
  need_square(in, 0);  // C1, C2
  return in.type(0);
}

// The matrix is halved until no column has more than 1 as the sum of its magnitudes; there 18 terms of Taylor's series
// are exact to 2^-53. The result is squared as often.
Ref<BaseFunc> lower_matrix_exp(const Call& call) {
  constexpr int64_t kTerms = 18, kMostHalvings = 1100;  // float64 has no number above 2^1024
  KernelBuilder k("matrix_exp");
  Ref<Buffer> a = k.input("A", call.args[0]->type), y = k.output("T_exp", call.type);
  const Scalar size = columns_of(a);
  const LocalMatrix m("m", kFloat64, size, size), power("power", kFloat64, size, size),
      next("next", kFloat64, size, size);
  const Cell norm("norm", kFloat64), sum("sum", kFloat64), halvings("halvings", kInt64);
  const auto product_of = [&](const LocalMatrix& left, const LocalMatrix& right, const auto& finish) {
    Stmt clear = next.each([&](const Scalar& i, const Scalar& j) { return next.set(i, j, float64(0)); });
    Stmt multiply = left.each([&](const Scalar& i, const Scalar& r) {
      return next.row("c",
                      [&](const Scalar& j) { return next.set(i, j, next.at(i, j) + left.at(i, r) * right.at(r, j)); });
    });
    Stmt copy = power.each([&](const Scalar& i, const Scalar& j) { return power.set(i, j, finish(i, j)); });
    return in_order({clear, multiply, copy});
  };
  k.steps(
      {.name = "matrix_exp",
       .spatial = batch_of(a),
       .reads = {a},
       .writes = {y},
       .locals = {m.buffer(), power.buffer(), next.buffer(), norm.buffer(), sum.buffer(), halvings.buffer()},
       .body = [&](const Indices& at) {
         Stmt measure = repeat("c", size, [&](const Scalar& c) {
           Stmt add =
               repeat("r", size, [&](const Scalar& r) { return sum.set(sum.get() + intrinsic("abs", m.at(r, c))); });
           return in_order({sum.set(float64(0)), add, norm.set(max(norm.get(), sum.get()))});
         });
         Stmt halve = in_order(
             {norm.set(norm.get() * float64(0.5)), halvings.set(halvings.get() + int_imm(1)),
              m.each([&](const Scalar& i, const Scalar& j) { return m.set(i, j, m.at(i, j) * float64(0.5)); })});
         const Scalar is_large = both(less(float64(1), norm.get()), less(halvings.get(), int_imm(kMostHalvings)));
         Stmt series = repeat("t", int_imm(kTerms), [&](const Scalar& t) {
           return product_of(m, power, [&](const Scalar& i, const Scalar& j) {
             return divide(next.at(i, j), Cast::make(kFloat64, int_imm(kTerms) - t)) +
                    Cast::make(kFloat64, equals(i, j));
           });
         });
         Stmt squares = repeat("q", halvings.get(), [&](const Scalar&) {
           return product_of(power, power, [&](const Scalar& i, const Scalar& j) { return next.at(i, j); });
         });
         return in_order({m.copy(a, at), norm.set(float64(0)), halvings.set(int_imm(0)), measure,
                          While::make(is_large, halve), power.set_to_identity(), series, squares, power.write(y, at)});
       }});
  return std::move(k).finish();
}

OpSample sample_qr(Sampler& s) { return {{sampled_matrices(s)}, {{"complete", s.chance(50)}}}; }
OpSample sample_lu_factor(Sampler& s) { return {{sampled_matrices(s)}}; }

OpSample sample_row_order(Sampler& s) {
  Expr a = sampled_matrices(s);
  Dims dims = sampled_dims(a);
  const int64_t rows = s.size_of(dims[dims.size() - 2]), columns = s.size_of(dims.back());
  dims.pop_back();
  dims.back() = int_imm(std::min(rows, columns));
  return {{a, s.places(dims, rows + 1, 1, kInt32)}};
}

OpSample sample_matrix_exp(Sampler& s) {
  const int64_t size = s.between(1, 4);
  return {{s.tensor({.dims = sizes({2, size, size}), .dtype = kFloat64, .values = Values::Unit})}};
}

}  // namespace

void register_factorisation_ops(OpTable& ops) {
  const std::vector<std::string> of_any{"C1: the dtype is a float", "C2: the rank is at least 2"};
  const OpParam any{"a", "float tensor of matrices (..., m, n) (C1, C2)"};
  ops.add({.name = "linalg.qr",
           .summary =
               "Matrices with orthonormal columns and upper triangles whose products are the matrices; the signs "
               "are those of LAPACK.",
           .params = {any, bool_param("complete", "m columns and rows in place of min(m, n)", false)},
           .constraints = of_any,
           .infer = infer_qr,
           .lower = lower_qr,
           .sample = sample_qr});
  ops.add({.name = "linalg.lu_factor",
           .summary = "A lower triangle with ones on its diagonal, which are left out, and an upper one; and for each "
                      "column the row, counted from 1, that changed places with it.",
           .params = {any},
           .constraints = of_any,
           .infer = infer_lu_factor,
           .lower = lower_lu_factor,
           .sample = sample_lu_factor});
  ops.add({.name = "linalg.lu_row_order",
           .summary = "Which row of the matrix stands at each row of the product of its factors.",
           .params = {{"a", "float tensor of matrices (..., m, n), as linalg.lu_factor gives them (C1)"},
                      {"pivots", "integer tensor (..., min(m, n)), as linalg.lu_factor gives it (C2, C3)"}},
           .constraints = {"C1: a is of floats and has rank 2 or more", "C2: pivots are integers",
                           "C3: there are as many pivots as rows, or columns where these are fewer"},
           .infer = infer_row_order,
           .lower = lower_row_order,
           .sample = sample_row_order});
  ops.add({.name = "linalg.matrix_exp",
           .summary = "The exponential of each matrix: the sum of a^k / k!.",
           .params = {{"a", "float tensor of square matrices (..., n, n) (C1, C2)"}},
           .constraints = {"C1: the dtype is a float", "C2: the matrices are square"},
           .infer = infer_matrix_exp,
           .lower = lower_matrix_exp,
           .sample = sample_matrix_exp});
}

}  // namespace sunmao
