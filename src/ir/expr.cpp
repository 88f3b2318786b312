#include "ir/expr.h"

#include <algorithm>

#include "ir/dims.h"
#include "ir/equal.h"
#include "ir/infer.h"
#include "ir/op.h"
#include "ir/type_relation.h"
#include "support/diagnostic.h"

namespace sunmao {

Ref<Var> Var::make(std::string name, Type type, Span span) {
  return Ref<Var>(new Var(std::move(name), false, std::move(type), std::move(span)));
}
Ref<Var> Var::make_dataflow(std::string name, Type type, Span span) {
  return Ref<Var>(new Var(std::move(name), true, std::move(type), std::move(span)));
}
Ref<Var> Var::with_type(Type new_type) const {
  if (new_type == type) return Ref<Var>(this);
  return Ref<Var>(new Var(name, is_dataflow, std::move(new_type), span));
}

Ref<GlobalVar> GlobalVar::make(std::string name, Span span) {
  return Ref<GlobalVar>(new GlobalVar(std::move(name), std::move(span)));
}

Expr Constant::make(Array data, Span span) {
  std::vector<Scalar> dims;
  for (int64_t d : data.shape()) dims.push_back(int_imm(d));
  Type type = TensorType::make(std::move(dims), data.dtype());
  return Expr(new Constant(std::move(data), std::move(type), std::move(span)));
}

Expr ShapeExpr::make(std::vector<Scalar> values, Span span) {
  for (Scalar& v : values) {
    if (v->dtype == DType::int_(64)) continue;
    if (!v->dtype.is_integral() || v->dtype.lanes != 1)
      fail("E0302", span,
           fmt::format("a dimension must be an integer, got `{}` of type {}", describe(v), v->dtype.str()));
    if (const int64_t* i = find_int(v); i && *i < 0 && v->dtype.is_uint())
      fail("E0317", span, fmt::format("a dimension of {} does not fit into an int64", describe(v)));
    v = find_int(v) ? int_imm(*find_int(v)) : Cast::make(DType::int_(64), v);
  }
  check_rank(values.size(), span);
  Type type = ShapeType::make(values);
  return Expr(new ShapeExpr(std::move(values), std::move(type), std::move(span)));
}

Expr PrimValue::make(Scalar value, Span span) {
  Type type = PrimType::of_value(value);
  return Expr(new PrimValue(std::move(value), std::move(type), std::move(span)));
}
Expr StringLiteral::make(std::string value, Span span) {
  return Expr(new StringLiteral(std::move(value), AnyType::make(), std::move(span)));
}
Expr DTypeLiteral::make(DType value, Span span) {
  return Expr(new DTypeLiteral(value, AnyType::make(), std::move(span)));
}

Expr Tuple::make(std::vector<Expr> fields, Span span) {
  std::vector<Type> types;
  for (const Expr& f : fields) {
    if (!f->type) {
      types.clear();
      break;
    }
    types.push_back(f->type);
  }
  Type type = types.size() == fields.size() ? TupleType::make(std::move(types), span) : Type();
  return Expr(new Tuple(std::move(fields), std::move(type), std::move(span)));
}

Expr TupleGetItem::make(Expr tuple, int index, Span span) {
  Type type;
  if (const auto* t = find<TupleType>(tuple->type)) {
    if (index < 0 || index >= static_cast<int>(t->fields.size()))
      fail("E0312", span,
           fmt::format("field {} of a tuple of {} fields: {}", index, t->fields.size(), describe(tuple->type)),
           fmt::format("fields count from 0; the last is {}", static_cast<int>(t->fields.size()) - 1));
    type = t->fields[static_cast<size_t>(index)];
  } else if (find<AnyType>(tuple->type)) {
    type = tuple->type;
  } else if (tuple->type) {
    fail("E0312", span, fmt::format("only a tuple has fields, got {}", describe(tuple->type)));
  }
  return Expr(new TupleGetItem(std::move(tuple), index, std::move(type), std::move(span)));
}

namespace {

bool all_typed(std::span<const Expr> args) {
  for (const Expr& a : args) {
    if (a->type || find<GlobalVar>(a) || find<Op>(a)) continue;
    return false;
  }
  return true;
}

// Runs the op's inference; errors about invalid types (E0317, E0318) are reported at the call, with the op's name.
Type infer_named(const Op& op, const InferInput& in) {
  try {
    return op.info.infer(in);
  } catch (const UserError& error) {
    Diagnostic d = error.diagnostics().front();
    if (d.code != "E0317" && d.code != "E0318") throw;
    d.message = fmt::format("{}: {}", op.name(), d.message);
    d.span = in.span;
    fail(std::move(d));
  }
}

Type infer(const Expr& callee, std::span<const Expr> args, const Attrs& attrs, std::span<const Type> type_args,
           const Span& span) {
  if (!all_typed(args)) return nullptr;
  if (const auto* op = find<Op>(callee)) return infer_named(*op, InferInput(*op, args, attrs, type_args, span));
  if (const auto* signature = find<CallableType>(callee->type)) {
    if (find<ExternFunc>(callee) && type_args.size() == 1) return type_args[0];
    const auto* var = find<Var>(callee);
    return infer_call(*signature, args, span, var ? var->name : "function");
  }
  if (find<AnyType>(callee->type)) return AnyType::make();
  if (callee->type) fail("E0315", span, fmt::format("only a function can be called, got {}", describe(callee->type)));
  return nullptr;
}

}  // namespace

Ref<Call> Call::make(Expr callee, std::vector<Expr> args, Attrs attrs, std::vector<Type> type_args, Span span) {
  if (const auto* op = find<Op>(callee)) attrs = op->complete(args, attrs);
  Type type = infer(callee, args, attrs, type_args, span);
  return make_typed(std::move(callee), std::move(args), std::move(attrs), std::move(type_args), std::move(type),
                    std::move(span));
}

Ref<Call> Call::make_typed(Expr callee, std::vector<Expr> args, Attrs attrs, std::vector<Type> type_args, Type type,
                           Span span) {
  return Ref<Call>(new Call(std::move(callee), std::move(args), std::move(attrs), std::move(type_args), std::move(type),
                            std::move(span)));
}

Ref<Call> Call::with_args(std::vector<Expr> new_args, Type new_type) const {
  if (new_args == args && (!new_type || new_type == type)) return Ref<Call>(this);
  if (find<GlobalVar>(callee))
    return make_typed(callee, std::move(new_args), attrs, type_args, new_type ? new_type : type, span);
  return make(callee, std::move(new_args), attrs, type_args, span);
}

If::If(Expr c, Ref<SeqExpr> t, Ref<SeqExpr> e, Type ty, Span s)
    : ExprNode(ExprKind::If, std::move(ty), std::move(s), depth_over(c, t, e)), condition(std::move(c)),
      then_branch(std::move(t)), else_branch(std::move(e)) {}

Expr If::make(Expr condition, Ref<SeqExpr> then_branch, Ref<SeqExpr> else_branch, Span span) {
  Type type;
  if (then_branch->type && else_branch->type) {
    Analyzer analyzer;
    type = common_type(then_branch->type, else_branch->type, analyzer);
  }
  return Expr(
      new If(std::move(condition), std::move(then_branch), std::move(else_branch), std::move(type), std::move(span)));
}

Ref<BindingBlock> BindingBlock::make(std::vector<Binding> bindings, Span span) {
  return Ref<BindingBlock>(new BindingBlock(std::move(bindings), false, std::move(span)));
}
Ref<BindingBlock> BindingBlock::make_dataflow(std::vector<Binding> bindings, Span span) {
  return Ref<BindingBlock>(new BindingBlock(std::move(bindings), true, std::move(span)));
}

Ref<SeqExpr> SeqExpr::make(std::vector<Ref<BindingBlock>> blocks, Expr body, Span span) {
  Type type = body->type;
  return Ref<SeqExpr>(new SeqExpr(std::move(blocks), std::move(body), std::move(type), std::move(span)));
}

namespace {

// True when `type` uses a symbol that is not in `own` and that a match_cast in a block of `body` defines.
bool mentions_inner_symbol(const Type& type, const SeqExpr& body, const Substitution& own) {
  std::vector<Ref<SymVar>> mentioned = free_symbols(type);
  if (mentioned.empty()) return false;
  for (const Ref<BindingBlock>& block : body.blocks)
    for (const Binding& b : block->bindings) {
      if (!b.is_match_cast()) continue;
      for (const Ref<SymVar>& s : definable_symbols(b.cast_type))
        if (!own.contains(s) && std::ranges::find(mentioned, s) != mentioned.end()) return true;
    }
  return false;
}

// Returns the result type of a function: that of the body, if it is known and `stated` is null or, other than a scalar
// type, less precise; else `stated`. Symbols that the body defines are erased from it.
Type known_result(const std::vector<Ref<Var>>& params, const Type& stated, const SeqExpr& body) {
  if (!body.type) return stated;
  Substitution own;
  for (const Ref<Var>& p : params)
    if (p->type)
      for (const Ref<SymVar>& s : definable_symbols(p->type)) own.emplace(s, s);
  if (!stated) return mentions_inner_symbol(body.type, body, own) ? erase_to_well_defined(body.type, own) : body.type;
  if (find<PrimType>(stated)) return stated;  // a scalar's value is not part of its result type
  Type visible = erase_to_well_defined(body.type, own);
  Analyzer analyzer;
  bool says_more = base_check(stated, visible, analyzer) == BaseCheck::Pass;
  return says_more && !structural_equal(stated, visible) ? visible : stated;
}

}  // namespace

Ref<Function> Function::make(std::vector<Ref<Var>> params, Ref<SeqExpr> body, Type result_type, bool is_pure,
                             Attrs attrs, Span span) {
  std::vector<Type> types;
  for (const Ref<Var>& p : params) types.push_back(p->type);
  result_type = known_result(params, result_type, *body);
  bool is_typed = result_type && std::ranges::all_of(types, [](const Type& t) { return static_cast<bool>(t); });
  Type type = is_typed ? CallableType::make(std::move(types), result_type, is_pure) : Type();
  return Ref<Function>(new Function(std::move(params), std::move(body), std::move(result_type), is_pure,
                                    std::move(attrs), std::move(type), std::move(span)));
}

Ref<BaseFunc> Function::with_attrs(Attrs new_attrs) const {
  if (new_attrs.same_as(attrs)) return Ref<BaseFunc>(this);
  return make(params, body, result_type, is_pure, std::move(new_attrs), span);
}
Ref<Function> Function::with_attr(const std::string& name, AttrValue value) const {
  return make(params, body, result_type, is_pure, attrs.with(name, std::move(value)), span);
}
Ref<Function> Function::with_body(Ref<SeqExpr> new_body) const {
  if (new_body == body) return Ref<Function>(this);
  return make(params, std::move(new_body), nullptr, is_pure, attrs, span);
}

Expr ExternFunc::make(std::string name, Span span) {
  return make_typed(std::move(name), CallableType::make_opaque(AnyType::make(), false), std::move(span));
}
Expr ExternFunc::make_typed(std::string name, Type type, Span span) {
  if (!find<CallableType>(type))
    fail("E0315", span, fmt::format("only a function can be called, got {}", describe(type)),
         "the type of an extern function is an `R.Callable`");
  return Expr(new ExternFunc(std::move(name), {}, std::move(type), std::move(span)));
}
Ref<BaseFunc> ExternFunc::with_attrs(Attrs new_attrs) const {
  return Ref<BaseFunc>(new ExternFunc(name, std::move(new_attrs), type, span));
}

bool is_leaf(const Expr& e) {
  switch (e->kind) {
    case ExprKind::Call:
    case ExprKind::If:
    case ExprKind::SeqExpr:
    case ExprKind::Function:
    case ExprKind::TupleGetItem: return false;
    case ExprKind::Tuple:
      for (const Expr& f : find<Tuple>(e)->fields)
        if (!is_leaf(f)) return false;
      return true;
    default: return true;
  }
}

}  // namespace sunmao
