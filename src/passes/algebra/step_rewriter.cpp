#include "passes/algebra/step_rewriter.h"

#include <algorithm>

#include "ops/algebra/rule.h"
#include "ops/ops.h"
#include "passes/analysis/compile_time.h"

namespace sunmao {

StepRewriter::StepRewriter(const Function& f) {
  for (const Ref<Var>& v : computable_at_compile_time(f)) known_.insert(v);
}

void StepRewriter::visit(const Binding& b) {
  binding_ = b.var->name;
  ForwardingRewriter::visit(b);
  in_block_.insert(b.var);
}

Ref<BindingBlock> StepRewriter::visit_block(const Ref<BindingBlock>& block) {
  forget();
  Ref<BindingBlock> out = ForwardingRewriter::visit_block(block);
  forget();
  return out;
}

Expr StepRewriter::bound(const Expr& value) {
  const auto* call = find<Call>(value);
  const bool is_of_known = call && std::ranges::all_of(call->args, [&](const Expr& a) { return is_known(a); });
  Expr var = emit(value, "lv");
  if (is_of_known) known_.insert(find_ref<Var>(var));
  in_block_.insert(find_ref<Var>(var));
  return var;
}

Expr StepRewriter::step(const char* op, std::vector<Expr> args, AttrMap attrs) {
  return bound(Call::make(builtin_ops().get(op), std::move(args), Attrs(std::move(attrs)), {}, span_));
}

Expr StepRewriter::as(const Expr& e, DType dtype) {
  return element_dtype(e) == dtype ? e : step("astype", {e}, {{"dtype", dtype}});
}

EmitFn StepRewriter::emit_step() {
  return [this](const Expr& e) {
    const auto* call = find<Call>(e);
    return call ? step(op_of(*call)->name().c_str(), call->args, call->attrs.values()) : e;
  };
}

bool StepRewriter::is_known(const Expr& e) const {
  if (const auto* tuple = find<Tuple>(e))
    return std::ranges::all_of(tuple->fields, [&](const Expr& field) { return is_known(field); });
  return find<Var>(e) ? known_.contains(find_ref<Var>(e)) : is_leaf(e);
}

const Call* StepRewriter::call_of(const Expr& e, std::string_view op) const {
  const Expr value = definition(e);
  return value ? find_call(value, op) : nullptr;
}

}  // namespace sunmao
