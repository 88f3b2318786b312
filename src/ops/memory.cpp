// Memory ops, which the virtual machine executes: allocation and release of storage and of tensors placed in it.
#include <fmt/format.h>

#include "ops/ops.h"
#include "ops/params.h"

namespace sunmao {
namespace {

DType dtype_argument(const InferInput& in, size_t i) {
  const auto* literal = find<DTypeLiteral>(in.args[i]);
  const auto* text = find<StringLiteral>(in.args[i]);
  std::optional<DType> parsed = text ? DType::parse(text->value) : std::nullopt;
  if (!literal && !parsed)
    in.error("E0201", fmt::format("`{}` must be a dtype, got {}", in.op.inputs()[i]->name, describe(in.type(i))));
  return literal ? literal->value : *parsed;
}

// Checks C3 of the allocation ops: device indices and offsets are scalars.
void check_scalars(const InferInput& in) {
  std::vector<const OpParam*> inputs = in.op.inputs();
  for (size_t i = 0; i < in.args.size(); ++i)
    if (inputs[i]->name.ends_with("device_index") || inputs[i]->name.ends_with("device_ind") ||
        inputs[i]->name == "offset")
      need_scalar(in, i);
}

// Returns the tensor type of an allocation whose shape and dtype are arguments.
template <size_t kShape, size_t kDType>
Type infer_tensor(const InferInput& in) {
  check_scalars(in);                                                  // C3
  return shaped_by(in, kShape, dtype_argument(in, kDType), nullptr);  // C1, C2
}

// Returns the type of a storage: raw memory that holds no tensor yet.
template <size_t kShape, size_t kDType>
Type infer_storage(const InferInput& in) {
  check_scalars(in);           // C3
  in.shape(kShape);            // C1
  dtype_argument(in, kDType);  // C2
  return AnyType::make();
}

OpParam shape_param() { return {"shape", "shape (C1)", ParamKind::Shape}; }
OpParam dtype_value() { return {"dtype", "dtype (C2)", ParamKind::Value}; }
OpParam device_index() { return scalar_param("runtime_device_index", "which device (C3)"); }
OpParam optional_scope() {
  return optional_param("storage_scope", "text: the kind of memory; default \"global\"", ParamKind::Value);
}

// Canonicalises string literals that name dtypes to dtype literals.
void literals(std::vector<Expr>& args, AttrMap&) {
  for (Expr& a : args)
    if (const auto* text = find<StringLiteral>(a))
      if (std::optional<DType> t = DType::parse(text->value)) a = DTypeLiteral::make(*t, a->span);
}

void global_scope(std::vector<Expr>& args, AttrMap& attrs) {
  literals(args, attrs);
  const auto* last = args.size() == 4 ? find<Tuple>(args.back()) : nullptr;
  if (last && last->fields.empty()) args.back() = StringLiteral::make("global");
  if (args.size() == 3) args.push_back(StringLiteral::make("global"));
}

OpInfo release(const char* name, const char* param, const char* summary) {
  return {.name = name,
          .summary = summary,
          .params = {{param, "what is not used any more", ParamKind::Value}},
          .infer = infer_nothing,
          .is_pure = false,
          .runs_on_vm = true,
          .computes = false};
}

OpInfo allocation(const char* name, const char* summary, std::vector<OpParam> params, InferFn infer,
                  CanonicalFn canonical) {
  return {.name = name,
          .summary = summary,
          .params = std::move(params),
          .constraints = {"C1: shape is a shape", "C2: dtype is a dtype", "C3: device and offset are scalars"},
          .infer = infer,
          .canonical = canonical,
          .runs_on_vm = true,
          .computes = false,
          .allocates = true};
}

// On the virtual machine a shape that is no list of sizes says the rank alone.
Type infer_vm_tensor(const InferInput& in) {
  Type type = infer_tensor<2, 3>(in);
  const auto* tensor = find<TensorType>(type);
  return !tensor || find<ShapeExpr>(in.args[2]) ? type : TensorType::make_unknown(tensor->dtype, tensor->rank);
}

OpInfo tensor_in_storage(const char* name, const char* summary, InferFn infer = infer_tensor<2, 3>) {
  return allocation(name, summary,
                    {{"storage", "storage", ParamKind::Value},
                     scalar_param("offset", "where the tensor begins, in bytes (C3)"),
                     shape_param(),
                     dtype_value(),
                     scalar_param("runtime_device_ind", "which device (C3)", 0)},
                    infer, literals);
}

}  // namespace

void register_memory_ops(OpTable& ops) {
  ops.add(allocation("builtin.alloc_tensor", "A new tensor.",
                     {shape_param(), dtype_value(), device_index(), optional_scope()}, infer_tensor<0, 1>,
                     global_scope));
  OpInfo storage = allocation("memory.alloc_storage", "A piece of memory.",
                              {{"size", "shape: one number of bytes (C1)", ParamKind::Shape},
                               scalar_param("virtual_device_index", "which device (C3)"),
                               {"storage_scope", "text: the kind of memory", ParamKind::Value},
                               dtype_value()},
                              infer_storage<0, 3>, literals);
  storage.constraints = {"C1: size is a shape", "C2: dtype is a dtype", "C3: the device is a scalar"};
  ops.add(std::move(storage));
  ops.add(tensor_in_storage("memory.alloc_tensor", "A tensor in a piece of memory."));
  ops.add(release("memory.kill_storage", "storage", "Gives a piece of memory back."));
  ops.add(release("memory.kill_tensor", "tensor", "Gives a tensor back."));
  ops.add({.name = "memory.ensure_zero_offset",
           .summary = "data at the beginning of its memory: copied when it is not.",
           .params = {{"data", "tensor"}},
           .infer =
               [](const InferInput& in) {
                 in.tensor(0);
                 return in.type(0);
               },
           .runs_on_vm = true});
  ops.add(allocation("vm.alloc_storage", "A piece of memory of the virtual machine.",
                     {shape_param(), device_index(), dtype_value(), optional_scope()}, infer_storage<0, 2>,
                     global_scope));
  ops.add(
      tensor_in_storage("vm.alloc_tensor", "A tensor in a piece of memory of the virtual machine.", infer_vm_tensor));
  ops.add(release("vm.kill_object", "obj", "Gives an object back."));
  ops.add({.name = "vm.call_tir_dyn",
           .summary = "Calls a loop-level function whose scalar parameters a run computes.",
           .params = {{"func", "the function", ParamKind::Func}, {"args", "tuple of the arguments", ParamKind::Tuple}},
           .infer = infer_nothing,
           .is_pure = false,
           .runs_on_vm = true,
           .calls_argument = true,
           .is_in_place = true});
}

}  // namespace sunmao
