// Elementwise ops on two tensors, broadcast against each other.
#include <fmt/format.h>

#include "ops/broadcast.h"
#include "ops/ops.h"

namespace sunmao {
namespace {

// A scalar operand (a prim value) counts as a tensor of rank 0.
struct Operand {
  DType dtype;
  int rank;
  const std::vector<Scalar>* dims;
  Ref<VDevice> vdevice;
};

const std::vector<Scalar> kNoDims;

Operand operand(const InferInput& in, size_t i) {
  if (const auto* p = find<PrimType>(in.type(i))) return {p->dtype, 0, &kNoDims, nullptr};
  const TensorType& t = in.tensor(i);
  return {t.dtype, t.rank, t.dims(), t.vdevice};
}

Type infer(const InferInput& in, bool gives_bool) {
  bool prim[2] = {find<PrimType>(in.type(0)) != nullptr, find<PrimType>(in.type(1)) != nullptr};
  Operand a = operand(in, 0), b = operand(in, 1);
  DType dtype = a.dtype.is_void() || b.dtype.is_void() ? DType::void_() : a.dtype;
  if (!a.dtype.is_void() && !b.dtype.is_void() && a.dtype != b.dtype)  // C1
    in.error("E0304", fmt::format("operands differ in dtype: {} and {}", a.dtype.str(), b.dtype.str()),
             "use astype on one of them");
  if (gives_bool) dtype = DType::bool_();
  if (prim[0] && prim[1]) return PrimType::make(dtype);
  Ref<VDevice> device = prim[0] || prim[1] ? (prim[0] ? b : a).vdevice : common_vdevice(in, in.tensor(0), in.tensor(1));
  if (a.rank == kUnknownRank || b.rank == kUnknownRank) return TensorType::make_unknown(dtype, kUnknownRank, device);
  int rank = std::max(a.rank, b.rank);
  if (a.dims && b.dims) {
    if (auto dims = broadcast_shape(in, *a.dims, *b.dims))
      return TensorType::make(std::move(*dims), dtype, device);  // C2
  } else if (!prim[0] && !prim[1] && in.tensor(0).shape && in.tensor(0).shape == in.tensor(1).shape) {
    return TensorType::make_with_shape(in.tensor(0).shape, dtype, device);
  }
  return TensorType::make_unknown(dtype, rank, device);
}

Type infer_arithmetic(const InferInput& in) { return infer(in, false); }
Type infer_comparison(const InferInput& in) { return infer(in, true); }

template <BinaryOp kOp>
Ref<BaseFunc> lower(const Call& call) {
  KernelBuilder k(op_of(call)->name());
  std::vector<Ref<Buffer>> in;
  for (size_t i = 0; i < 2; ++i)
    in.push_back(find<PrimValue>(call.args[i]) ? nullptr : k.input(i ? "B" : "A", call.args[i]->type));
  Ref<Buffer> out = k.output("T", call.type);
  auto read = [&](size_t i, const Indices& at) {
    return in[i] ? load(in[i], broadcast_indices(in[i]->shape, at)) : find<PrimValue>(call.args[i])->value;
  };
  k.compute(out, "T_" + op_of(call)->name(),
            [&](const Indices& at) { return Binary::make(kOp, read(0, at), read(1, at)); });
  return std::move(k).finish();
}

template <BinaryOp kOp>
OpInfo record(const char* name, const char* summary) {
  return {.name = name,
          .summary = summary,
          .params = {{"x1", "tensor or scalar"}, {"x2", "tensor or scalar; broadcast against x1"}},
          .constraints = {"C1: both dtypes are the same", "C2: the shapes broadcast"},
          .infer = is_comparison(kOp) ? infer_comparison : infer_arithmetic,
          .lower = lower<kOp>,
          .fuse = Fuse::Broadcast};
}

}  // namespace

void register_binary_ops(OpTable& ops) {
  ops.add(record<BinaryOp::Add>("add", "x1 + x2"));
  ops.add(record<BinaryOp::Sub>("subtract", "x1 - x2"));
  ops.add(record<BinaryOp::Mul>("multiply", "x1 * x2"));
  ops.add(record<BinaryOp::Max>("maximum", "the larger of x1 and x2"));
  ops.add(record<BinaryOp::Min>("minimum", "the smaller of x1 and x2"));
  ops.add(record<BinaryOp::Eq>("equal", "x1 == x2"));
  ops.add(record<BinaryOp::Lt>("less", "x1 < x2"));
  ops.add(record<BinaryOp::Gt>("greater", "x1 > x2"));
}

}  // namespace sunmao
