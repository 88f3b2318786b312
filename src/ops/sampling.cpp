// Drawing from distributions. The random numbers are an argument, so the op itself is pure.
#include <fmt/format.h>

#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/sampler.h"

namespace sunmao {
namespace {

Type infer_multinomial(const InferInput& in) {
  const TensorType &prob = in.tensor(0), &uniform = in.tensor(1), &rows = in.tensor(2);
  need_float(in, prob);  // C1
  need_float(in, uniform);
  need_integers(in, "sample_indices", rows.dtype);     // C2
  for (size_t i = 0; i < 3; ++i) need_rank(in, i, 2);  // C3
  Ref<VDevice> device = shared_vdevice(in, {&prob, &uniform, &rows});
  DType dtype = in.dtype_attr("dtype");
  if (uniform.dims() && rows.dims() && !in.can_agree(uniform.dims()->front(), rows.dims()->front()))  // C4
    in.error("E0309",
             fmt::format("{} samples for {} rows", describe(uniform.dims()->front()), describe(rows.dims()->front())));
  for (const TensorType* x : {&uniform, &rows})
    if (x->dims() && !in.can_agree((*x->dims())[1], int_imm(1)))  // C5
      in.error("E0309", fmt::format("samples and rows have one column, got {}", describe((*x->dims())[1])));
  if (written(uniform) && written(rows))
    return TensorType::make({written(uniform)->front(), int_imm(1)}, dtype, device);
  return TensorType::make_unknown(dtype, prob.rank == kUnknownRank || uniform.rank == kUnknownRank ? kUnknownRank : 2,
                                  device);
}

// Selects the first class at which the cumulative probability exceeds the uniform sample, or the last class.
Ref<BaseFunc> lower_multinomial(const Call& call) {
  KernelBuilder k("multinomial");
  Ref<Buffer> prob = k.input("A", call.args[0]->type), uniform = k.input("B", call.args[1]->type),
              rows = k.input("C", call.args[2]->type), y = k.output("T_sample", call.type);
  Ref<Buffer> sums = k.alloc("sums", prob->dtype, prob->shape);
  k.scan(
      sums, "sums", 1, [&](const Indices& at) { return load(prob, at); },
      [&](const Indices& at, const Scalar& previous) { return previous + load(prob, at); });
  Scalar last = prob->shape[1] - int_imm(1);
  k.reduce(y, "T_sample", {last}, summed(y->dtype), [&](const Indices& at, const Indices& r) {
    Scalar row = checked(call, as_index(load(rows, {at[0], int_imm(0)})), prob->shape[0]);
    Scalar passed = Binary::make(BinaryOp::Le, load(sums, {row, r[0]}), load(uniform, {at[0], int_imm(0)}));
    return Cast::make(y->dtype, passed);
  });
  return std::move(k).finish();
}

// Draws rows of probabilities that are multiples of 1/8 and sum to 1.
Expr sampled_distributions(Sampler& s, int64_t rows, int64_t classes) {
  std::vector<float> values(static_cast<size_t>(rows * classes));
  for (size_t row = 0; row < static_cast<size_t>(rows); ++row)
    for (int share = 0; share < 8; ++share)
      values[row * static_cast<size_t>(classes) + s.below(static_cast<size_t>(classes))] += 0.125F;
  return Constant::make(Array::from_floats({rows, classes}, values));
}

OpSample sample_multinomial(Sampler& s) {
  const int64_t rows = s.between(1, 3), count = s.between(0, 5);
  Expr uniform = s.tensor({.dims = sizes({count, 1}), .dtype = DType::float_(32), .values = Values::Unit});
  return {{sampled_distributions(s, rows, s.between(1, 4)), uniform, s.places(sizes({count, 1}), rows)},
          {{"dtype", s.chance(50) ? DType::int_(32) : DType::int_(64)}}};
}

}  // namespace

void register_sampling_ops(OpTable& ops) {
  ops.add({.name = "multinomial_from_uniform",
           .summary = "For each uniform sample the class that it falls into, by the probabilities of its row.",
           .params = {{"prob", "float matrix: a row of probabilities for each distribution (C1, C3)"},
                      {"uniform_sample", "float matrix (n, 1), in [0, 1) (C1, C3, C4, C5)"},
                      {"sample_indices", "integer matrix (n, 1): the row that each sample draws from (C2, C3, C4, C5)"},
                      dtype_param("dtype", "the dtype of the classes", "int64")},
           .constraints = {"C1: probabilities and samples are floats", "C2: the rows are integers",
                           "C3: all ranks are 2", "C4: one row for each sample", "C5: in one column"},
           .infer = infer_multinomial,
           .lower = lower_multinomial,
           .sample = sample_multinomial});
}

}  // namespace sunmao
