// The pass `rewrite-dataflow-reshape`: in dataflow blocks, turns calls of loop-level functions that provably copy their
// first tensor in row-major order, and views that only change the shape, into `reshape`.
#include "ops/ops.h"
#include "passes/analysis/kernel_call.h"
#include "passes/analysis/reshape_pattern.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

class Raiser final : public Rewriter {
 public:
  explicit Raiser(const Module& module) : module_(module) {}

 private:
  using Rewriter::visit;

  // A variable that leaves the block needs its own memory, which the result of a reshape does not have.
  void visit(const Binding& b) override {
    Expr value = Rewriter::visit(b.value);
    Expr reshape = b.var->is_dataflow && !b.is_match_cast() ? as_reshape(value) : nullptr;
    bind(b, reshape ? reshape : value);
  }

  // Returns the call as a reshape; null when it is none, or the reshape's type would not fit.
  Expr as_reshape(const Expr& value) {
    const auto* call = find<Call>(value);
    const Expr from = call ? source_of(*call) : nullptr;
    const auto* result = from ? find<TensorType>(call->type) : nullptr;
    if (!result || !result->dims()) return nullptr;
    Expr reshape =
        Call::make(builtin_ops().get("reshape"), {from, ShapeExpr::make(*result->dims())}, {}, {}, call->span);
    Analyzer analyzer;
    return fits(call->type, reshape->type, analyzer) == Fit::Yes ? reshape : nullptr;
  }

  // Returns the tensor whose elements the call returns in row-major order; null when it does something else.
  Expr source_of(const Call& call) {
    if (find_call(Expr(&call), "memory.view")) return call.args.size() == 2 ? call.args[0] : nullptr;
    if (!find_call(Expr(&call), "call_tir")) return nullptr;
    const auto* callee = find<GlobalVar>(call.args[0]);
    const auto* inputs = find<Tuple>(call.args[1]);
    return callee && inputs && !inputs->fields.empty() && copies_in_order(*callee) ? inputs->fields[0] : nullptr;
  }

  bool copies_in_order(const GlobalVar& callee) {
    auto [it, is_new] = proved_.try_emplace(callee.name, false);
    if (is_new)
      if (Ref<PrimFunc> func = module_.find_as<PrimFunc>(callee.name)) it->second = has_reshape_pattern(*func);
    return it->second;
  }

  const Module& module_;
  std::unordered_map<std::string, bool> proved_;
};

}  // namespace

Module rewrite_dataflow_reshape(const Module& m, const PassContext&) {
  Raiser raiser(m);
  return map_functions(m, [&](const Ref<Function>& f) { return raiser.rewrite(f); });
}

}  // namespace sunmao
