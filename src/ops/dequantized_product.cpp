// The op nn.matmul_dequantize: a product whose weight has a scale for each block of steps, and is dequantised where it
// is multiplied.
#include <fmt/format.h>

#include "ops/algebra/rule.h"
#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/params.h"
#include "ops/samples/sampler.h"

namespace sunmao {
namespace {

void check_parameter(const InferInput& in, size_t i, const Scalar& blocks, const Scalar& columns) {
  const TensorType& t = in.tensor(i);
  const std::string& name = in.op.inputs()[i]->name;
  const bool may_be_one = i == 3;
  if (t.rank == kUnknownRank || (may_be_one && t.rank == 0)) return;
  if (t.rank != 2) in.error("E0307", fmt::format("`{}` must have rank 2, got {}", name, t.rank));  // C4
  if (!t.dims()) return;
  const std::vector<Scalar>& dims = *t.dims();
  if (!in.can_agree(dims[0], blocks) || !in.can_agree(dims[1], columns))
    in.error("E0309", fmt::format("`{}` has the shape ({}, {}), expected ({}, {}), one value for each block and column",
                                  name, describe(dims[0]), describe(dims[1]), describe(blocks), describe(columns)));
}

Type infer_product(const InferInput& in) {
  const TensorType &x = in.tensor(0), &w = in.tensor(1);
  need_dtype(in, x.dtype.is_void() || x.dtype.is_float(), "x", "float", x.dtype);                            // C1
  need_dtype(in, w.dtype.is_void() || w.dtype.is_int() || w.dtype.is_uint(), "weight", "integer", w.dtype);  // C2
  const DType scale = in.tensor(2).dtype, zero = in.tensor(3).dtype;
  need_dtype(in, scale.is_void() || scale.is_float(), "scale", "float", scale);                      // C5
  need_dtype(in, zero.is_void() || zero.is_int() || zero.is_uint(), "zero_point", "integer", zero);  // C5
  if (x.rank == 0) in.error("E0307", "`x` must have rank 1 or more, got 0");                         // C1
  if (w.rank != kUnknownRank && w.rank != 2)
    in.error("E0307", fmt::format("`weight` must have rank 2, got {}", w.rank));
  const int64_t block = in.int_attr("block_size");
  if (block < 1) in.error("E0203", fmt::format("`block_size` must be at least 1, got {}", block));  // C3
  if (!w.dims() || !x.dims()) return TensorType::make_unknown(x.dtype, x.rank);
  const Scalar &steps = (*w.dims())[0], &columns = (*w.dims())[1];
  if (!in.can_agree(x.dims()->back(), steps))
    in.error("E0311", fmt::format("inner dimensions differ: `x` has {}, `weight` has {}", describe(x.dims()->back()),
                                  describe(steps)));
  const Scalar blocks = in.analyzer().simplify(floor_div(steps, int_imm(block)));
  if (!in.can_agree(steps, blocks * int_imm(block)))
    in.error("E0309", fmt::format("blocks of {} do not fill the {} rows of `weight`", block, describe(steps)));
  for (size_t i : {size_t{2}, size_t{3}}) check_parameter(in, i, blocks, columns);
  std::vector<Scalar> dims = *x.dims();
  dims.back() = columns;
  return TensorType::make(std::move(dims), x.dtype);
}

// What is the same for all elements of a block is loaded outside the loop over them.
Ref<BaseFunc> lower_product(const Call& call) {
  const InferInput in = input_of(call);
  const Scalar block = int_imm(in.int_attr("block_size"));
  KernelBuilder k("matmul_dequantize");
  const Ref<Buffer> x = k.input("A", call.args[0]->type), w = k.input("B", call.args[1]->type),
                    scale = k.input("C", call.args[2]->type), zero = k.input("D", call.args[3]->type),
                    out = k.output("matmul_dequantize", call.type);
  constexpr int kShort = 4;  // bits, whose differences int8 holds
  const bool is_short = w->dtype.bits <= kShort && zero->dtype.bits <= kShort;
  const DType difference = DType::int_(is_short ? 8 : 32);
  const bool is_at_zero = is_known_zero(call.args[3]);
  const KernelBuilder::Reduction sum{constant(out->dtype, 0), [](const Scalar& a, const Scalar& b) { return a + b; }};
  k.reduce(out, "matmul_dequantize", {scale->shape[0], block}, sum, [&](const Indices& at, const Indices& steps) {
    const Scalar step = steps[0] * block + steps[1], &column = at.back();
    Indices row(at.begin(), at.end() - 1);
    row.push_back(step);
    const Scalar point = zero->rank() == 0 ? load(zero, {}) : load(zero, {steps[0], column}),
                 value = load(w, {step, column});
    const Scalar above = is_at_zero ? value : cast_to(difference, value) - cast_to(difference, point);
    return load(x, row) * (cast_to(out->dtype, above) * cast_to(out->dtype, load(scale, {steps[0], column})));
  });
  return std::move(k).finish();
}

OpSample sample_dequantized(Sampler& s) {
  const Expr x = s.tensor({.min_rank = 1, .max_rank = 3, .dtype = DType::float_(32)});
  const Scalar steps = sampled_dims(x).back(), columns = int_imm(s.between(1, 5));
  const Dims scales{steps, columns};
  const DType dtype = s.one_of<DType>({DType::int_(8), DType::uint(8)});
  return {{x, s.tensor({.dims = Dims{steps, columns}, .dtype = dtype}),
           s.tensor({.dims = scales, .dtype = DType::float_(32), .values = Values::Positive}),
           s.tensor({.dims = s.chance(50) ? Dims{} : scales, .dtype = dtype})},
          {{"block_size", int64_t{1}}}};
}

}  // namespace

void register_dequantized_product_ops(OpTable& ops) {
  ops.add({.name = "nn.matmul_dequantize",
           .summary = "The product of x and (weight - zero_point) * scale, where blocks of rows of the weight share a "
                      "scale and a zero point for each column.",
           .params = {{"x", "float tensor of rank >= 1 (C1)"},
                      {"weight", "integer matrix (C2)"},
                      {"scale", "matrix, one for each block and column (C4)"},
                      {"zero_point", "likewise, or one for all (C4)"},
                      int_param("block_size", "the rows of a block (C3)", 1)},
           .constraints = {"C1: x is a float tensor of rank 1 or more, whose last dimension is the rows of weight",
                           "C2: weight is a matrix of integers", "C3: blocks of block_size fill the rows of weight",
                           "C4: scale is a matrix with one value for each block and column, and so is zero_point, or "
                           "it has rank 0",
                           "C5: scale is of floats, zero_point of integers"},
           .infer = infer_product,
           .lower = lower_product,
           .fuse = Fuse::Anchor,
           .sample = sample_dequantized});
}

}  // namespace sunmao
