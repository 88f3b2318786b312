// The QR factorisation as reflections, which LAPACK and its callers keep in place of Q, and products of these.
#include "ops/reflections.h"

#include <fmt/format.h>

#include "ops/broadcast.h"
#include "ops/factors.h"
#include "ops/ops.h"

namespace sunmao {
namespace {

Type infer_qr_factor(const InferInput& in) {
  need_matrices(in, 0);  // C1, C2
  const TensorType& a = in.tensor(0);
  if (written(a)) return TupleType::make({in.type(0), in_batch_of(a, a.dtype, {fewer(in, rows_of(a), columns_of(a))})});
  const int rank = a.rank == kUnknownRank ? kUnknownRank : a.rank - 1;
  return TupleType::make({in.type(0), TensorType::make_unknown(a.dtype, rank, a.vdevice)});
}

Ref<BaseFunc> lower_qr_factor(const Call& call) {
  KernelBuilder k("qr_factor");
  const std::vector<Type>& results = find<TupleType>(call.type)->fields;
  Ref<Buffer> a = k.input("A", call.args[0]->type), factors = k.output("T_factors", results[0]),
              scales = k.output("T_scales", results[1]);
  const LocalMatrix m("m", kFloat64, rows_of(a), columns_of(a), LocalMatrix::Pieces::Columns);
  const Reflections reflections(m);
  k.steps({.name = "qr_factor",
           .spatial = batch_of(a),
           .reads = {a},
           .writes = {factors, scales},
           .locals = joined(reflections.locals(), {m.buffer()}),
           .body = [&](const Indices& at) {
             return in_order(
                 {m.copy(a, at), reflections.factorise(), m.write(factors, at), reflections.write_scales(scales, at)});
           }});
  return std::move(k).finish();
}

Type infer_reflect(const InferInput& in) {
  const TensorType &a = in.tensor(0), &scales = in.tensor(1), &x = in.tensor(2);
  for (size_t i : {size_t{0}, size_t{2}}) need_matrices(in, i);  // C1, C2
  common_dtype(in, a, scales);                                   // C3
  common_dtype(in, a, x);
  shared_vdevice(in, {&a, &scales, &x});
  if (a.rank != kUnknownRank) need_rank(in, 1, a.rank - 1);  // C2
  if (a.rank != kUnknownRank) need_rank(in, 2, a.rank);
  if (a.dims() && x.dims())
    for (size_t i = 0; i + 1 < a.dims()->size(); ++i)  // C4
      need_equal_sizes(in, i + 2 < a.dims()->size() ? "batches" : "rows", (*a.dims())[i], (*x.dims())[i]);
  if (a.dims() && scales.dims()) {
    for (size_t i = 0; i + 2 < a.dims()->size(); ++i)
      need_equal_sizes(in, "batches", (*a.dims())[i], (*scales.dims())[i]);
    const Scalar &count = scales.dims()->back(), &rows = (*a.dims())[a.dims()->size() - 2];
    if (!in.can_reach(a.dims()->back(), count) || !in.can_reach(rows, count))  // C5
      in.error("E0309", fmt::format("{} reflections in matrices of {} rows and {} columns", describe(count),
                                    describe(rows), describe(a.dims()->back())));
  }
  return in.type(2);
}

Ref<BaseFunc> lower_reflect(const Call& call) {
  KernelBuilder k("reflect");
  Ref<Buffer> a = k.input("A", call.args[0]->type), scales = k.input("scales", call.args[1]->type),
              x = k.input("X", call.args[2]->type), y = k.output("T_reflect", call.type);
  const auto columns = LocalMatrix::Pieces::Columns;
  const LocalMatrix m("m", kFloat64, rows_of(a), columns_of(a), columns),
      turned("turned", kFloat64, rows_of(x), columns_of(x), columns);
  const Reflections reflections(m, scales->shape.back());
  const auto order =
      input_of(call).bool_attr("transposed") ? Reflections::Order::FirstFirst : Reflections::Order::LastFirst;
  k.steps({.name = "reflect",
           .spatial = batch_of(a),
           .reads = {a, scales, x},
           .writes = {y},
           .locals = joined(reflections.locals(), {m.buffer(), turned.buffer()}),
           .body = [&](const Indices& at) {
             return in_order({m.copy(a, at), reflections.take_scales(scales, at), turned.copy(x, at),
                              reflections.apply(turned, order), turned.write(y, at)});
           }});
  return std::move(k).finish();
}

OpSample sample_qr_factor(Sampler& s) { return {{sampled_matrices(s)}}; }

OpSample sample_reflect(Sampler& s) {
  Expr a = sampled_matrices(s);
  Dims scales = sampled_dims(a), x = sampled_dims(a);
  const int64_t rows = s.size_of(x[x.size() - 2]), columns = s.size_of(x.back());
  scales.pop_back();
  scales.back() = int_imm(s.between(0, std::min(rows, columns)));
  x.back() = int_imm(s.between(1, 3));
  const auto drawn = [&](Dims dims) {
    return s.tensor({.dims = std::move(dims), .dtype = kFloat64, .values = Values::Unit});
  };
  return {{a, drawn(scales), drawn(x)}, {{"transposed", s.chance(50)}}};
}

}  // namespace

void register_reflection_ops(OpTable& ops) {
  ops.add({.name = "linalg.qr_factor",
           .summary = "Matrices with R in their upper triangles, and below them the vectors v of the reflections "
                      "1 - scale * v * v^T whose product is Q; and the scales. The first element of v is 1 and left "
                      "out; the signs are those of LAPACK.",
           .params = {{"a", "float tensor of matrices (..., m, n) (C1, C2)"}},
           .constraints = {"C1: the dtype is a float", "C2: the rank is at least 2"},
           .infer = infer_qr_factor,
           .lower = lower_qr_factor,
           .sample = sample_qr_factor});
  ops.add({.name = "linalg.reflect",
           .summary = "The product of reflections times matrices: Q * x, or Q^T * x.",
           .params = {{"a", "float tensor of matrices (..., m, n), as linalg.qr_factor gives them (C1, C2)"},
                      {"scales", "tensor (..., k), as linalg.qr_factor gives it (C2 to C5)"},
                      {"x", "float tensor of matrices (..., m, p) (C1 to C4)"},
                      bool_param("transposed", "whether Q is transposed", false)},
           .constraints = {"C1: the dtypes are floats", "C2: x has the rank of a, at least 2, scales have one less",
                           "C3: all dtypes are the same", "C4: batches are the same, and x has the rows of a",
                           "C5: there are no more scales than rows or columns of a"},
           .infer = infer_reflect,
           .lower = lower_reflect,
           .sample = sample_reflect});
}

}  // namespace sunmao
