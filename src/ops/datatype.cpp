// Conversion of elements to another dtype.
#include "loop/builder.h"
#include "ops/layout_rule.h"
#include "ops/ops.h"
#include "ops/params.h"
#include "ops/samples/sampler.h"

namespace sunmao {
namespace {

Type infer_astype(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  DType dtype = in.dtype_attr("dtype");
  if (dtype.is_void()) in.error("E0203", "attribute `dtype` must name a dtype");  // C1
  return with_dtype(x, dtype);
}

Ref<BaseFunc> lower_astype(const Call& call) {
  KernelBuilder k(op_of(call)->name());
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T", call.type);
  k.compute(y, "compute", [&](const Indices& at) {
    Scalar value = load(x, at);
    return x->dtype == y->dtype ? value : Cast::make(y->dtype, value);
  });
  return std::move(k).finish();
}

using Kind = TensorWish::Kind;

OpSample sample_astype(Sampler& s) {
  // Converting a float that is outside the range of an integer dtype is unspecified, so only values that fit are drawn.
  Expr x = s.tensor({.kind = Kind::Number, .values = Values::Positive});
  static const std::vector<DType> kTargets{DType::float_(16), DType::float_(32), DType::float_(64), DType::int_(32),
                                           DType::int_(8),    DType::uint(16),   DType::bool_()};
  return {{x}, {{"dtype", s.one_of(kTargets)}}};
}

OpSample sample_wrap(Sampler& s) {
  return {{s.tensor({.kind = Kind::Number})}, {{"dtype", DType::float_(s.chance(50) ? 32 : 64)}}};
}

}  // namespace

void register_datatype_ops(OpTable& ops) {
  ops.add({.name = "astype",
           .summary = "x with its elements converted to `dtype`",
           .params = {{"x", "tensor"}, dtype_param("dtype", "the dtype to convert to (C1)")},
           .constraints = {"C1: dtype names a dtype"},
           .infer = infer_astype,
           .lower = lower_astype,
           .fuse = Fuse::Elementwise,
           .precision = Precision::Follow,
           .layout = layout_elementwise,
           .sample = sample_astype});
  ops.add({.name = "wrap_param",
           .summary = "A parameter of the model, converted to `dtype`",
           .params = {{"data", "tensor"}, dtype_param("dtype", "the dtype to convert to (C1)", "float32")},
           .constraints = {"C1: dtype names a dtype"},
           .infer = infer_astype,
           .lower = lower_astype,
           .fuse = Fuse::Elementwise,
           .precision = Precision::Follow,
           .sample = sample_wrap});
}

}  // namespace sunmao
