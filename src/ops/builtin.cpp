// Ops on shapes and on values as a whole, messages and assertions, copies to devices, and marker ops for passes.
#include <fmt/format.h>

#include "ops/lowering.h"
#include "ops/named_sizes.h"
#include "ops/ops.h"
#include "ops/samples/shared_samples.h"

namespace sunmao {
namespace {

Type infer_anything(const InferInput&) { return AnyType::make(); }

Type infer_shape_of(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  return x.dims() ? ShapeType::make(*x.dims()) : ShapeType::make_unknown(x.rank);
}

Expr decompose_shape_of(const Call& call) {
  const auto* x = find<TensorType>(call.args[0]->type);
  return x->dims() ? ShapeExpr::make(*x->dims(), call.span) : Expr(&call);
}

Type infer_shape_to_tensor(const InferInput& in) {
  const ShapeType& shape = in.shape(0);
  if (shape.rank == kUnknownRank) return TensorType::make_unknown(DType::int_(64), 1);
  return TensorType::make({int_imm(shape.rank)}, DType::int_(64));
}

// Kernel of shape_to_tensor: element i of the result is dimension i, selected by comparing the index with each i. Null
// when the dimensions are unknown.
Ref<BaseFunc> lower_shape_to_tensor(const Call& call) {
  const auto* shape = find<ShapeType>(call.args[0]->type);
  if (!shape->values) return nullptr;
  KernelBuilder k("shape_to_tensor");
  Ref<Buffer> y = k.output("T_shape", call.type);
  k.compute(y, "T_shape", [&](const Indices& at) {
    Scalar value = int_imm(0);
    for (size_t i = shape->values->size(); i-- > 0;)
      value = Select::make(equals(at[0], int_imm(static_cast<int64_t>(i))), (*shape->values)[i], value);
    return value;
  });
  return std::move(k).finish();
}

Type infer_tensor_to_shape(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  need_rank(in, 0, 1);                                                                     // C1
  need_dtype(in, x.dtype.is_void() || x.dtype.is_integral(), "expr", "integer", x.dtype);  // C2
  const int64_t* rank = x.dims() ? find_int(x.dims()->front()) : nullptr;
  return ShapeType::make_unknown(rank ? static_cast<int>(*rank) : kUnknownRank);
}

// Machines read sizes from int64 tensors.
Expr sized_tensor_to_shape(const Call& call, BlockBuilder& b) {
  const auto* x = find<TensorType>(call.args[0]->type);
  if (!x || x->dtype.is_void() || x->dtype == kInt64) return Expr(&call);
  return call_of("tensor_to_shape", {b.emit(call_of("astype", call.args, call, {{"dtype", kInt64}}))}, call);
}

Type infer_size(const InferInput& in) { return TensorType::make({}, DType::int_(64), in.tensor(0).vdevice); }

Ref<BaseFunc> lower_size(const Call& call) {
  KernelBuilder k("size");
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T_size", call.type);
  k.compute(y, "T_size", [&](const Indices&) { return product(x->shape); });
  return std::move(k).finish();
}

Type infer_assert(const InferInput& in) {
  const Type& condition = in.type(0);
  const auto* prim = find<PrimType>(condition);
  const auto* tensor = find<TensorType>(condition);
  bool fits = find<AnyType>(condition) || (prim && prim->dtype.is_bool()) ||
              (tensor && (tensor->dtype.is_void() || tensor->dtype.is_bool()) && tensor->rank <= 0);
  if (!fits) in.error("E0201", fmt::format("the condition must be a bool, got {}", describe(condition)));  // C1
  return infer_nothing(in);
}

Ref<VDevice> target_of(const InferInput& in) {
  const auto* info = in.attr("dst_vdevice").find<Ref<GlobalInfo>>();
  Ref<VDevice> device = info ? find_ref<VDevice>(*info) : nullptr;
  return device;
}

Type infer_to_vdevice(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  Ref<VDevice> device = target_of(in);
  if (!device) in.error("E0203", "attribute `dst_vdevice` must be a virtual device");  // C1
  return x.shape ? TensorType::make_with_shape(x.shape, x.dtype, device)
                 : TensorType::make_unknown(x.dtype, x.rank, device);
}

Type infer_hint(const InferInput& in) {
  in.tensor(0);
  if (!target_of(in)) in.error("E0203", "attribute `dst_vdevice` must be a device");  // C1
  return in.type(0);
}

OpParam device_param() { return attr_param(AttrKind::Any, "dst_vdevice", "the virtual device (C1)", {}); }

using Kind = TensorWish::Kind;

OpSample sample_shape(Sampler& s) { return {{ShapeExpr::make(s.dims(0, 4))}}; }

OpSample sample_vector(Sampler& s) {
  return {{s.places(s.dims(1, 1, Sizes::Whole), 9, 0, s.chance(50) ? DType::int_(32) : DType::int_(64))}};
}

OpSample sample_on_device(Sampler& s) {
  return {{s.tensor({.kind = Kind::Number})}, {{"dst_vdevice", AttrValue(Ref<GlobalInfo>(sampled_device()))}}};
}

void register_devices(OpTable& ops) {
  ops.add({.name = "to_vdevice",
           .summary = "data copied to a virtual device.",
           .params = {{"data", "tensor"}, device_param()},
           .constraints = {"C1: dst_vdevice is a virtual device"},
           .infer = infer_to_vdevice,
           .sample = sample_on_device});
  ops.add({.name = "hint_on_device",
           .summary = "data, which is to be computed on a device: a request that RealizeVDevice spreads.",
           .params = {{"data", "tensor"},
                      attr_param(AttrKind::Any, "dst_vdevice", "the device (C1)", {}),
                      string_param("memory_scope", "the kind of memory on it", "global")},
           .constraints = {"C1: dst_vdevice is a device"},
           .infer = infer_hint,
           .computes = false,
           .sample = sample_on_device});
}

void register_effects(OpTable& ops) {
  ops.add({.name = "print",
           .summary = "Prints values; nothing comes back.",
           .params = {{"values", "what to print", ParamKind::Variadic},
                      string_param("format", "text with {} for each value; \"\": one after the other", "")},
           .infer = infer_nothing,
           .is_pure = false,
           .runs_on_vm = true,
           .computes = false});
  ops.add({.name = "assert_op",
           .summary = "Stops the run with a message when a condition does not hold.",
           .params = {{"condition", "bool scalar, or bool tensor of rank 0 (C1)", ParamKind::Value},
                      {"format_args", "values of the message", ParamKind::List, AttrValue()},
                      string_param("format", "text with {} for each value", "")},
           .constraints = {"C1: the condition is a bool"},
           .infer = infer_assert,
           .is_pure = false,
           .runs_on_vm = true,
           .computes = false});
}

}  // namespace

void register_builtin_ops(OpTable& ops) {
  ops.add({.name = "builtin.stop_lift_params",
           .summary = "x; and nothing behind it is work on weights, so LiftTransformParams stops here.",
           .params = {{"x", "any value", ParamKind::Value}},
           .infer = infer_as_first,
           .decompose = first_argument,
           .computes = false,
           .sample = sample_unary<Kind::Number>});
  ops.add({.name = "null_value",
           .summary = "No value.",
           .params = {},
           .infer = infer_anything,
           .runs_on_vm = true,
           .computes = false});
  ops.add({.name = "shape_of",
           .summary = "The shape of a tensor.",
           .params = {{"expr", "tensor"}},
           .infer = infer_shape_of,
           .decompose = decompose_shape_of,
           .runs_unlowered = true,
           .sample = sample_unary<Kind::Number>});
  ops.add({.name = "shape_to_tensor",
           .summary = "The sizes of a shape as a vector of int64.",
           .params = {{"expr", "shape", ParamKind::Shape}},
           .infer = infer_shape_to_tensor,
           .lower = lower_shape_to_tensor,
           .runs_unlowered = true,
           .sample = sample_shape});
  ops.add({.name = "tensor_to_shape",
           .summary = "The elements of a vector as a shape.",
           .params = {{"expr", "integer vector (C1, C2)"}},
           .constraints = {"C1: the rank is 1", "C2: the dtype is an integer"},
           .infer = infer_tensor_to_shape,
           .sized = sized_tensor_to_shape,
           .runs_on_vm = true,
           .is_foldable = true,
           .sample = sample_vector});
  ops.add({.name = "size",
           .summary = "How many elements a tensor has, as an int64 tensor of rank 0.",
           .params = {{"expr", "tensor"}},
           .infer = infer_size,
           .lower = lower_size,
           .sample = sample_unary<Kind::Number>});
  register_effects(ops);
  register_devices(ops);
}

}  // namespace sunmao
