// The pass `lower-runtime-builtin`: ops that the virtual machine runs become calls of its functions by name, and
// allocations its own ops.
#include "ir/walk.h"
#include "ops/ops.h"
#include "passes/passes.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// The number that a kind of device has in DLPack; a kind that DLPack does not know is the host.
int64_t device_kind(const VDevice& device) {
  const std::string kind = device.target_kind();
  if (kind == "cuda") return 2;
  if (kind == "opencl") return 4;
  if (kind == "vulkan") return 7;
  if (kind == "metal") return 8;
  return kind == "rocm" ? 10 : 1;
}

class BuiltinLowerer final : public Rewriter {
  using Rewriter::visit;
  using Lowering = Expr (*)(const Call&);

  Expr visit(const Call& call) override {
    Expr visited = Rewriter::visit(call);
    const Call* c = find<Call>(visited);
    const auto* op = c ? find<Op>(c->callee) : nullptr;
    auto it = op ? lowerings().find(op->name()) : lowerings().end();
    return it == lowerings().end() ? visited : it->second(*c);
  }

  static const std::unordered_map<std::string_view, Lowering>& lowerings() {
    static const std::unordered_map<std::string_view, Lowering> table{
        {"memory.alloc_storage", allocate_storage},
        {"memory.alloc_tensor", tensor_in_storage},
        {"memory.kill_storage", kill},
        {"memory.kill_tensor", kill},
        {"builtin.alloc_tensor", refuse_allocation},
        {"vm.call_tir_dyn", call_with_scalars},
        {"reshape", reshape},
        {"memory.view", view},
        {"shape_of", shape_of},
        {"tensor_to_shape", tensor_to_shape},
        {"memory.ensure_zero_offset", ensure_zero_offset},
        {"to_vdevice", to_device},
        {"make_closure", make_closure},
        {"invoke_closure", invoke_closure},
    };
    return table;
  }

  static Expr op_call(const char* op, std::vector<Expr> args, const Call& c) {
    return Call::make(builtin_ops().get(op), std::move(args), {}, {}, c.span);
  }
  static Expr packed(const char* name, std::vector<Expr> args, Type result, const Call& c) {
    return Call::make(ExternFunc::make(name), std::move(args), {}, {std::move(result)}, c.span);
  }

  // The size of a storage is in bytes, whatever the tensors in it hold.
  static Expr allocate_storage(const Call& c) {
    return op_call("vm.alloc_storage", {c.args[0], c.args[1], DTypeLiteral::make(DType::uint(8)), c.args[2]}, c);
  }
  static Expr tensor_in_storage(const Call& c) { return op_call("vm.alloc_tensor", c.args, c); }
  static Expr kill(const Call& c) { return op_call("vm.kill_object", c.args, c); }

  static Expr refuse_allocation(const Call& c) {
    fail("E0536", c.span, "lower-runtime-builtin: a tensor is allocated without a storage",
         "run `lower-alloc-tensor` before");
  }

  static Expr call_with_scalars(const Call& c) {
    std::vector<Expr> args = fields_of(c);
    args.insert(args.begin(), c.args[0]);
    return packed("vm.builtin.call_tir_dyn", std::move(args), TupleType::make({}), c);
  }

  static Expr reshape(const Call& c) {
    if (!find<ShapeType>(c.args[1]->type))
      fail("E0313", c.span,
           fmt::format("lower-runtime-builtin: reshape: expected a shape, got {}", describe(c.args[1]->type)),
           "write the shape as `R.shape([...])`, or as a variable that holds one");
    return packed("vm.builtin.reshape", {c.args[0], c.args[1]}, c.type, c);
  }

  // A view that has all elements of its tensor, in another shape, is a reshape; other views stay.
  static Expr view(const Call& c) {
    const auto *from = find<TensorType>(c.args[0]->type), *to = find<TensorType>(c.type);
    if (c.args.size() != 2 || !from || !to || !from->dims() || !to->dims()) return Expr(&c);
    auto count = [](const std::vector<Scalar>& dims) {
      Scalar product = int_imm(1);
      for (const Scalar& d : dims) product = product * d;
      return product;
    };
    Analyzer analyzer;
    return analyzer.can_prove_equal(count(*from->dims()), count(*to->dims())) ? reshape(c) : Expr(&c);
  }

  static Expr shape_of(const Call& c) { return packed("vm.builtin.shape_of", c.args, c.type, c); }
  static Expr tensor_to_shape(const Call& c) { return packed("vm.builtin.tensor_to_shape", c.args, c.type, c); }
  static Expr ensure_zero_offset(const Call& c) { return packed("vm.builtin.ensure_zero_offset", c.args, c.type, c); }

  static Expr to_device(const Call& c) {
    const Ref<VDevice> device = find_ref<VDevice>(*c.attrs.find<Ref<GlobalInfo>>("dst_vdevice"));
    return packed("vm.builtin.to_device",
                  {c.args[0], PrimValue::make(int_imm(device_kind(*device))), PrimValue::make(int_imm(device->id)),
                   StringLiteral::make(device->memory_scope)},
                  c.type, c);
  }

  static Expr make_closure(const Call& c) {
    std::vector<Expr> args = fields_of(c);
    args.insert(args.begin(), c.args[0]);
    return packed("vm.builtin.make_closure", std::move(args), AnyType::make(), c);
  }

  static Expr invoke_closure(const Call& c) {
    std::vector<Expr> args = fields_of(c);
    args.insert(args.begin(), c.args[0]);
    return Call::make(builtin_ops().get("call_builtin_with_ctx"),
                      {ExternFunc::make("vm.builtin.invoke_closure"), Tuple::make(std::move(args))}, {},
                      c.type_args.empty() ? std::vector<Type>{AnyType::make()} : c.type_args, c.span);
  }

  // The arguments of a call that takes them as a tuple.
  static std::vector<Expr> fields_of(const Call& c) {
    const auto* fields = find<Tuple>(c.args[1]);
    if (!fields)
      fail("E0508", c.span, "lower-runtime-builtin: the arguments are a variable, not a tuple of them",
           "run `canonicalize-bindings` or `expand-tuple-arguments` before");
    return fields->fields;
  }
};

}  // namespace

Module lower_runtime_builtin(const Module& m, const PassContext&) {
  return map_functions(m, [](const Ref<Function>& f) { return BuiltinLowerer().rewrite(f); });
}

}  // namespace sunmao
