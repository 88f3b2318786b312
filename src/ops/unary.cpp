// Elementwise ops on one tensor.
#include "loop/builder.h"
#include "ops/ops.h"

namespace sunmao {
namespace {

Type infer_unary(const InferInput& in) {
  in.tensor(0);
  return in.type(0);
}

Type infer_float_unary(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  if (!x.dtype.is_void() && !x.dtype.is_float())  // C1
    in.error("E0306", "needs a float tensor, got " + x.dtype.str(), "cast it with astype");
  return in.type(0);
}

template <class F>
Ref<BaseFunc> lower_unary(const Call& call, F value) {
  KernelBuilder k(op_of(call)->name());
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T", call.type);
  k.compute(y, "compute", [&](const Indices& at) { return value(load(x, at)); });
  return std::move(k).finish();
}

Ref<BaseFunc> lower_relu(const Call& call) {
  return lower_unary(call, [](const Scalar& x) { return max(x, constant(x->dtype, 0)); });
}
Ref<BaseFunc> lower_negative(const Call& call) {
  return lower_unary(call, [](const Scalar& x) { return x * constant(x->dtype, -1); });
}
Ref<BaseFunc> lower_exp(const Call& call) {
  return lower_unary(call, [](const Scalar& x) { return intrinsic("exp", x); });
}
Ref<BaseFunc> lower_sqrt(const Call& call) {
  return lower_unary(call, [](const Scalar& x) { return intrinsic("sqrt", x); });
}

Type infer_astype(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  DType dtype = in.dtype_attr("dtype");
  if (dtype.is_void()) in.error("E0203", "attribute `dtype` must name a dtype");  // C1
  if (x.dims()) return TensorType::make(*x.dims(), dtype, x.vdevice);
  return x.shape ? TensorType::make_with_shape(x.shape, dtype, x.vdevice)
                 : TensorType::make_unknown(dtype, x.rank, x.vdevice);
}

Ref<BaseFunc> lower_astype(const Call& call) {
  DType to = find<TensorType>(call.type)->dtype;
  return lower_unary(call, [&](const Scalar& x) { return x->dtype == to ? x : Cast::make(to, x); });
}

OpInfo unary(const char* name, const char* summary, InferFn infer, LowerFn lower) {
  std::vector<std::string> constraints;
  if (infer == infer_float_unary) constraints.push_back("C1: the dtype is a float");
  return {.name = name,
          .summary = summary,
          .params = {{"x", "tensor"}},
          .constraints = constraints,
          .infer = infer,
          .lower = lower,
          .fuse = Fuse::Elementwise};
}

}  // namespace

void register_unary_ops(OpTable& ops) {
  OpInfo relu = unary("nn.relu", "max(data, 0)", infer_unary, lower_relu);
  relu.params[0].name = "data";
  ops.add(std::move(relu));
  ops.add(unary("negative", "-x", infer_unary, lower_negative));
  ops.add(unary("exp", "e to the power of x", infer_float_unary, lower_exp));
  ops.add(unary("sqrt", "the square root of x", infer_float_unary, lower_sqrt));
  ops.add({.name = "astype",
           .summary = "x with its elements converted to `dtype`",
           .params = {{"x", "tensor"}, {"dtype", "the dtype to convert to", ParamKind::Attr}},
           .constraints = {"C1: dtype names a dtype"},
           .infer = infer_astype,
           .lower = lower_astype,
           .fuse = Fuse::Elementwise});
}

}  // namespace sunmao
