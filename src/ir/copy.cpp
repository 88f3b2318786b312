#include "ir/copy.h"

#include "support/diagnostic.h"
#include "sym/analyzer.h"

namespace sunmao {

void FreshCopy::define_symbols(const Type& t) {
  for (const Ref<SymVar>& s : defined_symbols(t))
    if (!symbols_.contains(s)) symbols_.emplace(s, SymVar::make(s->name, s->dtype, s->span));
}

Type FreshCopy::with_shapes(const Type& t) const {
  if (!t || shapes_.empty()) return t;
  if (const auto* tensor = find<TensorType>(t)) {
    auto it = shapes_.find(find_ref<Var>(tensor->shape));
    if (it == shapes_.end()) return t;
    return it->second ? TensorType::make_with_shape(it->second, tensor->dtype, tensor->vdevice, tensor->span)
                      : TensorType::make_unknown(tensor->dtype, tensor->rank, tensor->vdevice, tensor->span);
  }
  if (const auto* tuple = find<TupleType>(t)) {
    std::vector<Type> fields;
    for (const Type& field : tuple->fields) fields.push_back(with_shapes(field));
    return fields == tuple->fields ? t : TupleType::make(std::move(fields), tuple->span);
  }
  return t;
}

Ref<Var> FreshCopy::define(const Ref<Var>& v) {
  define_symbols(v->type);
  return defined(v, v->is_dataflow ? Var::make_dataflow(v->name, copy(v->type), v->span)
                                   : Var::make(v->name, copy(v->type), v->span));
}

Ref<Var> FreshCopy::define_param(const Ref<Var>& v) {
  define_symbols(v->type);
  return defined(v, Var::make(v->name, copy(v->type), v->span));
}

Ref<Var> FreshCopy::defined(const Ref<Var>& v, Ref<Var> fresh) {
  vars_[v] = fresh;
  if (find<ShapeType>(v->type)) shapes_.try_emplace(v, fresh);
  return fresh;
}

std::vector<Expr> FreshCopy::copy(const std::vector<Expr>& exprs) {
  std::vector<Expr> out;
  for (const Expr& e : exprs) out.push_back(copy(e));
  return out;
}

Scalar FreshCopy::copied(const Scalar& s) const {
  const Scalar out = substitute(s, symbols_);
  return out.same_as(s) || !free_symbols(out).empty() ? out : Analyzer().simplify(out);
}

Expr FreshCopy::copy(const Expr& e) {
  switch (e->kind) {
    case ExprKind::Var: {
      auto it = vars_.find(find_ref<Var>(e));
      return it == vars_.end() ? e : it->second;
    }
    case ExprKind::ShapeExpr: {
      std::vector<Scalar> values;
      for (const Scalar& v : find<ShapeExpr>(e)->values) values.push_back(copied(v));
      return ShapeExpr::make(std::move(values), e->span);
    }
    case ExprKind::PrimValue: return PrimValue::make(copied(find<PrimValue>(e)->value), e->span);
    case ExprKind::Tuple: return Tuple::make(copy(find<Tuple>(e)->fields), e->span);
    case ExprKind::TupleGetItem:
      return TupleGetItem::make(copy(find<TupleGetItem>(e)->tuple), find<TupleGetItem>(e)->index, e->span);
    case ExprKind::Call: {
      const auto& c = *find<Call>(e);
      std::vector<Type> type_args;
      for (const Type& t : c.type_args) type_args.push_back(copy(t));
      return Call::make_typed(copy(c.callee), copy(c.args), c.attrs, std::move(type_args), copy(c.type), c.span);
    }
    case ExprKind::If: {
      const auto& n = *find<If>(e);
      return If::make(copy(n.condition), copy(n.then_branch), copy(n.else_branch), n.span);
    }
    case ExprKind::SeqExpr: return copy(find_ref<SeqExpr>(e));
    case ExprKind::Function: return copy(find_ref<Function>(e));
    default: return e;
  }
}

Binding FreshCopy::copy(const Binding& b) {
  // A local function may be recursive, so its variable is defined first.
  if (b.value->kind == ExprKind::Function && !b.is_match_cast()) {
    const Ref<Var> var = define(b.var);
    return {var, copy(b.value), {}, b.span};
  }
  Expr value = copy(b.value);
  if (b.is_match_cast()) define_symbols(b.cast_type);
  Type cast = copy(b.cast_type);
  return {define(b.var), std::move(value), std::move(cast), b.span};
}

Ref<SeqExpr> FreshCopy::copy(const Ref<SeqExpr>& seq) {
  std::vector<Ref<BindingBlock>> blocks;
  for (const Ref<BindingBlock>& block : seq->blocks) {
    std::vector<Binding> bindings;
    for (const Binding& b : block->bindings) bindings.push_back(copy(b));
    blocks.push_back(block->is_dataflow ? BindingBlock::make_dataflow(std::move(bindings), block->span)
                                        : BindingBlock::make(std::move(bindings), block->span));
  }
  return SeqExpr::make(std::move(blocks), copy(seq->body), seq->span);
}

Ref<Function> FreshCopy::copy(const Ref<Function>& f) {
  std::vector<Ref<Var>> params;
  for (const Ref<Var>& p : f->params) define_symbols(p->type);
  for (const Ref<Var>& p : f->params) params.push_back(define_param(p));
  Ref<SeqExpr> body = copy(f->body);
  return Function::make(std::move(params), std::move(body), copy(f->result_type), f->is_pure, f->attrs, f->span);
}

}  // namespace sunmao
