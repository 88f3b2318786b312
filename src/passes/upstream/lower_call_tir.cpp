// The pass `lower-call-tir`: allocates memory for the results of call_tir, call_tir_inplace and call_dps_packed, except
// those in the place of an argument, and passes it as arguments.
#include "ir/walk.h"
#include "ops/ops.h"
#include "passes/passes.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

class CallTIRLowerer final : public Rewriter {
 public:
  explicit CallTIRLowerer(const Module& module) : module_(module) {}

 private:
  using Rewriter::visit;

  Expr visit(const Call& call) override {
    Expr visited = Rewriter::visit(call);
    const Call* loops = find_call(visited, "call_tir");
    const Call* in_place = find_call(visited, "call_tir_inplace");
    const Call* extern_call = find_call(visited, "call_dps_packed");
    const Call* c = loops ? loops : in_place ? in_place : extern_call;
    return c ? lower(*c) : visited;
  }

  Expr lower(const Call& c) {
    if (in_dataflow())
      fail("E0523", c.span, "lower-call-tir: the call stands in a dataflow block, and what fills memory has an effect",
           "run `to-non-dataflow` and `remove-purity-checking` before");
    const auto* inputs = find<Tuple>(c.args[1]);
    if (!inputs)
      fail("E0508", c.span, "lower-call-tir: the arguments are a variable, not a tuple of them",
           "run `canonicalize-bindings` or `expand-tuple-arguments` before");
    std::vector<Expr> args = inputs->fields;
    Expr result = find_call(Expr(&c), "call_tir_inplace") ? results_in_place(c, args) : memory_for(c.type, c, args, {});
    if (c.args.size() > 2) {
      args.push_back(c.args[2]);
      emit(Call::make(builtin_ops().get("vm.call_tir_dyn"), {c.args[0], Tuple::make(std::move(args))}, {}, {}, c.span),
           "_");
    } else {
      const Type nothing = TupleType::make({});
      std::vector<Type> told = find<ExternFunc>(c.args[0]) ? std::vector{nothing} : std::vector<Type>();
      emit(Call::make_typed(c.args[0], std::move(args), {}, std::move(told), nothing, c.span), "_");
    }
    return result;
  }

  // Allocates memory for a value of the type, and appends each tensor to `args`. `told` are the type arguments of the
  // allocation.
  Expr memory_for(const Type& type, const Call& c, std::vector<Expr>& args, const std::vector<Type>& told) {
    if (const auto* tuple = find<TupleType>(type)) {
      std::vector<Expr> fields;
      for (const Type& field : tuple->fields) fields.push_back(memory_for(field, c, args, told));
      return Tuple::make(std::move(fields), c.span);
    }
    const auto* tensor = find<TensorType>(type);
    if (!tensor || !tensor->dims() || tensor->is_unknown_dtype())
      fail("E0314", c.span, fmt::format("lower-call-tir: how much memory {} takes is not known", describe(type)),
           "state its shape and dtype");
    Expr memory = Call::make(builtin_ops().get("builtin.alloc_tensor"),
                             {ShapeExpr::make(*tensor->dims()), DTypeLiteral::make(tensor->dtype),
                              PrimValue::make(int_imm(device_index(tensor->vdevice))), StringLiteral::make("global")},
                             {}, told, c.span);
    args.push_back(emit(std::move(memory), "alloc"));
    return args.back();
  }

  Expr results_in_place(const Call& c, std::vector<Expr>& args) {
    std::vector<int64_t> places = *c.attrs.find("inplace_indices")->as_ints();
    const auto* tuple = find<TupleType>(c.type);
    std::vector<Expr> fields;
    for (size_t i = 0; i < places.size(); ++i) {
      const Type& type = tuple ? tuple->fields[i] : c.type;
      // As upstream writes it, these allocations, and only they, state their type.
      fields.push_back(places[i] >= 0 ? args[static_cast<size_t>(places[i])] : memory_for(type, c, args, {type}));
    }
    return tuple ? Tuple::make(std::move(fields), c.span) : fields[0];
  }

  int64_t device_index(const Ref<VDevice>& device) const {
    auto infos = module_.global_infos().find("vdevice");
    if (!device || infos == module_.global_infos().end()) return 0;
    for (size_t i = 0; i < infos->second.size(); ++i)
      if (infos->second[i].get() == device.get()) return static_cast<int64_t>(i);
    return 0;
  }

  const Module& module_;
};

}  // namespace

Module lower_call_tir(const Module& m, const PassContext&) {
  return map_functions(m, [&](const Ref<Function>& f) { return CallTIRLowerer(m).rewrite(f); });
}

}  // namespace sunmao
