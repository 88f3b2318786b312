// The pass `plan-memory`: shows where the tensors of a function will lie. Kernels are called with the memory that they
// fill: tensors in one storage where sizes are numbers, a storage of its own for each tensor whose place the runtime
// decides when it knows the sizes, and memory of their own for results and for what other functions get.
#include <algorithm>

#include "ir/builder.h"
#include "ops/ops.h"
#include "passes/analysis/blocks.h"
#include "passes/analysis/variables.h"
#include "passes/devices/device_types.h"
#include "passes/lower/memory_plan.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

Expr memory_op(const char* name, std::vector<Expr> args, const Span& span) {
  return Call::make(builtin_ops().get(name), std::move(args), {}, {}, span);
}

Expr index_literal(int64_t value) { return PrimValue::make(int_imm(value)); }

class MemoryShower final : public Rewriter {
 public:
  MemoryShower(const Module& module, const MemoryPlan& plan) : module_(module), plan_(plan) {}

 private:
  using Rewriter::visit;

  void visit(const Binding& b) override {
    if (const auto planned = plan_.calls.find(b.var); planned != plan_.calls.end())
      show(b, planned->second);
    else
      Rewriter::visit(b);
    if (const auto step = plan_.steps.find(b.var); step != plan_.steps.end()) end(step->second, b.span);
  }

  void show(const Binding& b, const PlannedCall& planned) {
    const Call& call = *find<Call>(b.value);
    const AttrValue* places = call.attrs.find("inplace_indices");
    const std::vector<int64_t> in_place = places ? *places->as_ints() : std::vector<int64_t>();
    std::vector<Expr> args = find<Tuple>(visit(call.args[1]))->fields, results;
    for (size_t i = 0; i < planned.tensors.size(); ++i) {
      const bool is_update = !in_place.empty() && in_place[i] >= 0;
      results.push_back(is_update ? args[static_cast<size_t>(in_place[i])] : new_tensor(planned.tensors[i], b));
      if (!is_update) args.push_back(results.back());
    }
    const Type nothing = TupleType::make({});
    if (call.args.size() > 2) {
      args.push_back(call.args[2]);
      emit(memory_op("vm.call_tir_dyn", {call.args[0], Tuple::make(std::move(args))}, call.span), "_");
    } else {
      emit(Call::make_typed(call.args[0], std::move(args), {}, {}, nothing, call.span), "_");
    }
    if (results.size() == 1)
      replace(b.var, results[0]);
    else
      bind(b, Tuple::make(std::move(results), call.span));
  }

  Expr new_tensor(int number, const Binding& b) {
    const PlannedTensor& t = plan_.tensor(number);
    const auto& type = *find<TensorType>(t.type);
    const Expr shape = ShapeExpr::make(*type.dims()), dtype = DTypeLiteral::make(type.dtype),
               device = index_literal(device_index(type.vdevice));
    if (!t.is_slot)
      return emit(memory_op("builtin.alloc_tensor", {shape, dtype, device, StringLiteral::make("global")}, b.span),
                  b.var->name);
    const Expr storage = storage_of(number, b.span), offset = index_literal(static_cast<int64_t>(t.offset.value_or(0)));
    return slots_[number] =
               emit(memory_op("memory.alloc_tensor", {storage, offset, shape, dtype, device}, b.span), b.var->name);
  }

  Expr storage_of(int number, const Span& span) {
    const PlannedTensor& t = plan_.tensor(number);
    if (!t.offset) return own_storages_[number] = new_storage(t.bytes, span);
    if (!storage_) storage_ = new_storage(int_imm(static_cast<int64_t>(plan_.storage_bytes)), span);
    return storage_;
  }

  Expr new_storage(const Scalar& bytes, const Span& span) {
    return emit(memory_op("memory.alloc_storage",
                          {ShapeExpr::make({bytes}), index_literal(0), StringLiteral::make("global"),
                           DTypeLiteral::make(DType::uint(8))},
                          span),
                "storage");
  }

  // Releases what no later step uses.
  void end(size_t step, const Span& span) {
    const auto ending = plan_.ending.find(step);
    for (const int tensor : ending == plan_.ending.end() ? std::vector<int>() : ending->second)
      if (const auto slot = slots_.find(tensor); slot != slots_.end()) {
        emit(memory_op("memory.kill_tensor", {slot->second}, span), "_");
        if (const auto own = own_storages_.find(tensor); own != own_storages_.end())
          emit(memory_op("memory.kill_storage", {own->second}, span), "_");
      }
    if (storage_ && step == plan_.storage_end) emit(memory_op("memory.kill_storage", {storage_}, span), "_");
  }

  int64_t device_index(const Ref<VDevice>& device) const {
    const std::vector<Ref<VDevice>> devices = listed_devices(module_);
    const auto found = std::ranges::find(devices, device);
    return found == devices.end() ? 0 : found - devices.begin();
  }

  const Module& module_;
  const MemoryPlan& plan_;
  Expr storage_;  // the one that tensors of known places share
  std::unordered_map<int, Expr> slots_, own_storages_;
};

std::unordered_set<std::string> called_functions(const Module& m) {
  std::unordered_set<std::string> out;
  for (const FunctionEntry& e : m.functions())
    if (find<Function>(Expr(e.func)))
      for (const Ref<GlobalVar>& g : all_global_vars(Expr(e.func))) out.insert(g->name);
  return out;
}

}  // namespace

Module plan_memory(const Module& m, const PassContext&) {
  const std::unordered_set<std::string> called = called_functions(m);
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : m.functions()) {
    const Ref<Function> f = find_ref<Function>(Expr(e.func));
    if (!f) continue;
    const Ref<Function> plain = without_dataflow(f);
    const MemoryPlan plan = plan_of(m, *plain, called.contains(e.var->name) && !f->attrs.has("global_symbol"));
    if (plan.calls.empty()) continue;
    const Ref<Function> shown = MemoryShower(m, plan).rewrite(plain);
    const bool is_told = !shown->is_pure || shown->attrs.has("relax.force_pure");
    changed.push_back({e.var, is_told ? shown : shown->with_attr("relax.force_pure", true)});
  }
  return changed.empty() ? m : m.with_functions(std::move(changed));
}

}  // namespace sunmao
