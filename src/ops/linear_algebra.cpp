// Matrix multiplication: matmul, and packed matmul on weights stored as panels.
#include <fmt/format.h>

#include "ops/broadcast.h"
#include "ops/matmul_kernel.h"
#include "ops/ops.h"
#include "ops/params.h"
#include "ops/permutation.h"
#include "ops/samples/sampler.h"
#include "ops/wide_steps.h"

namespace sunmao {
namespace {

Type infer_matmul(const InferInput& in) {
  const TensorType &a = in.tensor(0), &b = in.tensor(1);
  if (a.rank == 0 || b.rank == 0)  // C1
    in.error("E0307", fmt::format("operands must have rank 1 or more, got {} and {}", a.rank, b.rank),
             "reshape a scalar to (1,)");
  DType out = in.dtype_attr("out_dtype");
  DType dtype = out.is_void() ? common_dtype(in, a, b) : out;  // C2
  Ref<VDevice> device = common_vdevice(in, a, b);
  if (a.rank == kUnknownRank || b.rank == kUnknownRank) return TensorType::make_unknown(dtype, kUnknownRank, device);
  int lead = std::max(a.rank, b.rank) - 2;
  int rank = std::max(lead, 0) + (a.rank > 1) + (b.rank > 1);
  if (!a.dims() || !b.dims()) return TensorType::make_unknown(dtype, rank, device);
  const std::vector<Scalar>&x = *a.dims(), &y = *b.dims();
  const Scalar &k = x.back(), &l = b.rank == 1 ? y[0] : y[y.size() - 2];
  if (!in.can_agree(k, l))  // C3
    in.error("E0311",
             fmt::format("inner dimensions differ: `x1` has k = {} (dim {}), `x2` has {} (dim {})", describe(k),
                         x.size() - 1, describe(l), b.rank == 1 ? 0 : b.rank - 2),
             b.rank == 2 && in.analyzer().can_prove_equal(k, y[1])
                 ? "is the weight transposed? permute_dims(x2) would fit"
                 : "");
  std::vector<Scalar> batch_a(x.begin(), x.end() - std::min(2, a.rank)),
      batch_b(y.begin(), y.end() - std::min(2, b.rank));
  auto dims = broadcast_shape(in, batch_a, batch_b);  // C4
  if (!dims || !written(a) || !written(b)) return TensorType::make_unknown(dtype, rank, device);
  if (a.rank > 1) dims->push_back(x[x.size() - 2]);
  if (b.rank > 1) dims->push_back(y.back());
  return TensorType::make(std::move(*dims), dtype, device);
}

Scalar widen(const Scalar& x, DType to) { return x->dtype == to ? x : Cast::make(to, x); }

KernelBuilder::Reduction sum_from_zero(DType dtype) {
  return {constant(dtype, 0), [](const Scalar& acc, const Scalar& v) { return acc + v; }};
}

Ref<BaseFunc> lower_matmul(const Call& call) {
  return matmul_kernel(call.args[0]->type, call.args[1]->type, call.type, RightOperand::AsWritten);
}

OpSample sample_product(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .max_rank = 3});
  Dims dims{sampled_dims(x).back()};
  if (s.chance(80)) dims.push_back(int_imm(s.between(1, 5)));
  if (dims.size() == 2 && s.chance(20)) dims.insert(dims.begin(), int_imm(1));
  return {{x, s.beside(x, dims)}};
}

}  // namespace

Ref<BaseFunc> matmul_kernel(const Type& a_type, const Type& b_type, const Type& out_type, RightOperand right) {
  const bool is_transposed = right == RightOperand::Transposed;
  const std::string name = is_transposed ? "NT_matmul" : "matmul";
  KernelBuilder kb(name);
  Ref<Buffer> a = kb.input("A", a_type), b = kb.input("B", b_type), out = kb.output(name, out_type);
  const Scalar& k = a->shape.back();
  kb.reduce(out, name, {k}, sum_from_zero(out->dtype), [&](const Indices& at, const Indices& r) {
    // The trailing axes of the output are the row of `a` (unless `a` is a vector) and the column of `b` (unless `b` is
    // a vector); all others are batch axes.
    size_t own = static_cast<size_t>((a->rank() > 1) + (b->rank() > 1));
    Indices batch(at.begin(), at.end() - static_cast<std::ptrdiff_t>(own));
    auto batch_of = [&](const Ref<Buffer>& t) {
      std::vector<Scalar> lead(t->shape.begin(), t->shape.end() - std::min(2, t->rank()));
      return broadcast_indices(lead, batch);
    };
    Indices left = batch_of(a), other = batch_of(b);
    if (a->rank() > 1) left.push_back(at[batch.size()]);
    left.push_back(r[0]);
    if (is_transposed) other.push_back(at.back());
    other.push_back(r[0]);
    if (!is_transposed && b->rank() > 1) other.push_back(at.back());
    return widen(load(a, left), out->dtype) * widen(load(b, other), out->dtype);
  });
  return with_wide_steps(std::move(kb).finish());
}

bool swaps_last_two(const Call& permute) {
  const auto* type = find<TensorType>(permute.args[0]->type);
  if (!type || type->rank < 2) return false;
  const std::vector<int64_t> axes = *permutation_of(permute);
  for (int i = 0; i < type->rank; ++i)
    if (axes[static_cast<size_t>(i)] != (i == type->rank - 2 ? i + 1 : i == type->rank - 1 ? i - 1 : i)) return false;
  return true;
}

void register_linear_algebra_ops(OpTable& ops) {
  ops.add(
      {.name = "matmul",
       .summary = "The matrix product over the last axis of x1 and the last but one of x2; leading axes broadcast.",
       .params = {{"x1", "tensor of rank >= 1 (C1)"},
                  {"x2", "tensor of rank >= 1 (C1)"},
                  dtype_param("out_dtype", "the dtype to accumulate and give; default: the operands'", AttrValue())},
       .constraints = {"C1: both ranks are at least 1", "C2: both dtypes are the same, unless out_dtype is given",
                       "C3: the inner dimensions agree", "C4: the leading axes broadcast"},
       .infer = infer_matmul,
       .lower = lower_matmul,
       .fuse = Fuse::Anchor,
       .precision = Precision::Half,
       .sample = sample_product});
}

}  // namespace sunmao
