#include "passes/pattern/nested_values.h"

namespace sunmao {

Expr NestedRewriter::operand(const Expr& e) {
  if (is_leaf(e)) return visit(e);
  auto it = emitted_.find(e);
  if (it == emitted_.end()) it = emitted_.emplace(e, emit(flatten(e), "lv")).first;
  return it->second;
}

std::vector<Expr> NestedRewriter::operands(const std::vector<Expr>& exprs) {
  std::vector<Expr> out;
  out.reserve(exprs.size());
  for (const Expr& e : exprs) out.push_back(operand(e));
  return out;
}

Expr NestedRewriter::flatten(const Expr& e) {
  if (const auto* call = find<Call>(e)) {
    std::vector<Expr> args = operands(call->args);
    Expr callee = visit(call->callee);
    if (callee == call->callee) return call->with_args(std::move(args), call->type);
    return Call::make(callee, std::move(args), call->attrs, call->type_args, call->span);
  }
  if (const auto* tuple = find<Tuple>(e)) {
    std::vector<Expr> fields = operands(tuple->fields);
    return fields == tuple->fields ? e : Tuple::make(std::move(fields), tuple->span);
  }
  if (const auto* item = find<TupleGetItem>(e)) {
    Expr tuple = operand(item->tuple);
    return tuple == item->tuple ? e : TupleGetItem::make(tuple, item->index, item->span);
  }
  return visit(e);
}

}  // namespace sunmao
