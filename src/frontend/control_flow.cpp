#include "frontend/control_flow.h"

#include <algorithm>
#include <exception>

#include "frontend/findings.h"
#include "frontend/shapes.h"
#include "ir/copy.h"
#include "ir/type_relation.h"
#include "passes/analysis/variables.h"

namespace sunmao {
namespace {

Expr as_scalar(ModelBuilder& builder, const Expr& condition, const Span& span) {
  const std::vector<Scalar>* dims = dims_of(condition);
  if (!dims) throw UnsupportedUse{"whose condition is of unknown shape"};
  const DType dtype = dtype_of(condition);
  Expr one = dims->empty() ? condition : reshaped(builder, condition, {}, span);
  return dtype.is_bool() ? one : converted(builder, one, DType::bool_(), span);
}

Expr result_of(std::vector<Expr> values, const Span& span) {
  return values.size() == 1 ? values[0] : Expr(Tuple::make(std::move(values), span));
}

std::vector<Expr> fields_of(const Expr& call, size_t count) {
  if (count == 1) return {call};
  std::vector<Expr> out;
  for (size_t i = 0; i < count; ++i) out.push_back(TupleGetItem::make(call, static_cast<int>(i), call->span));
  return out;
}

/// A function of the module in the making: its parameters, with what a call of it passes for those behind `own`.
struct NewFunction {
  std::vector<Ref<Var>> params;
  std::vector<Expr> passed;

  /// Adds parameters for what `body` uses and defines nowhere: variables, then symbols.
  void capture(const Ref<SeqExpr>& body) {
    for (const Ref<Var>& v : free_vars(Expr(body))) {
      if (std::ranges::find(params, v) != params.end()) continue;
      params.push_back(v);
      passed.emplace_back(v);
    }
    std::unordered_set<Ref<SymVar>> defined;
    for (const Ref<Var>& p : params)
      for (const Ref<SymVar>& s : definable_symbols(p->type)) defined.insert(s);
    std::vector<Scalar> sizes;
    for (const Ref<SymVar>& s : free_symbolic_vars(Function::make(params, body, nullptr, true)))
      if (defined.insert(s).second) sizes.emplace_back(s);
    if (sizes.empty()) return;
    params.push_back(Var::make("sizes", ShapeType::make(sizes)));
    passed.push_back(ShapeExpr::make(std::move(sizes)));
  }

  /// Returns a type in terms of the parameters.
  Type in_own_terms(const Type& type) const {
    Substitution symbols;
    for (const Ref<Var>& p : params)
      for (const Ref<SymVar>& s : definable_symbols(p->type)) symbols.emplace(s, s);
    return erase_to_well_defined(type, symbols);
  }

  void add_to(ModelBuilder& builder, const Ref<GlobalVar>& name, const Ref<SeqExpr>& body, const Type& type,
              const Span& span) const {
    const Ref<Function> f = Function::make(params, body, in_own_terms(type), true, {}, span);
    builder.add_function(name, FreshCopy().copy(f));
  }
};

Expr call_of(const Ref<GlobalVar>& name, std::vector<Expr> args, const NewFunction& f, const Type& result,
             const Span& span) {
  std::vector<Type> params;
  for (const Ref<Var>& p : f.params) params.push_back(p->type);
  const Type signature = CallableType::make(std::move(params), f.in_own_terms(result), true);
  Type type = infer_call(*find<CallableType>(signature), args, span, name->name);
  return Call::make_typed(name, std::move(args), {}, {}, std::move(type), span);
}

Ref<SeqExpr> read_body(ModelBuilder& builder, const ReadBody& read, size_t& count, const Span& span) {
  ModelBuilder::Body body(builder);
  std::vector<Expr> results = read();
  count = results.size();
  return body.finish(std::move(results), span);
}

/// Throws unless a step gives values like those that it takes.
void check_carried(ModelBuilder& builder, const std::vector<Expr>& taken, const std::vector<Expr>& given) {
  if (taken.size() != given.size()) throw UnsupportedUse{"whose step gives another number of values than it takes"};
  for (size_t i = 0; i < taken.size(); ++i) {
    const std::vector<Scalar>*a = dims_of(taken[i]), *b = dims_of(given[i]);
    bool is_same = dtype_of(taken[i]) == dtype_of(given[i]) && a && b && a->size() == b->size();
    for (size_t d = 0; is_same && d < a->size(); ++d)
      is_same = builder.can_prove(Binary::make(BinaryOp::Eq, (*a)[d], (*b)[d]));
    if (!is_same) throw UnsupportedUse{"that changes the shape or dtype of what it carries"};
  }
}

}  // namespace

std::vector<Expr> choice(ModelBuilder& builder, Expr condition, const ReadBody& yes, const ReadBody& no,
                         const std::string& name, const Span& span) {
  condition = builder.bind(as_scalar(builder, condition, span), "condition");
  size_t count = 0, other = 0;
  // Both are read even if the first one cannot be, so that all findings are told at once.
  std::exception_ptr problem;
  Ref<SeqExpr> then_branch;
  try {
    then_branch = read_body(builder, yes, count, span);
  } catch (const NeedsUnread&) {
    problem = std::current_exception();
  } catch (const UnsupportedUse&) {
    problem = std::current_exception();
  }
  const Ref<SeqExpr> else_branch = read_body(builder, no, other, span);
  if (problem) std::rethrow_exception(problem);
  if (count != other || count == 0) throw UnsupportedUse{"whose branches give no values or different numbers of them"};
  const Expr both = If::make(condition, then_branch, else_branch, span);
  const Ref<Var> result = Var::make("result", both->type, span);
  const Ref<SeqExpr> body = SeqExpr::make({BindingBlock::make({{result, both, nullptr, span}})}, result, span);
  NewFunction f;
  f.capture(body);
  const Ref<GlobalVar> function = GlobalVar::make(builder.fresh_name(name), span);
  f.add_to(builder, function, body, both->type, span);
  return fields_of(builder.bind(call_of(function, f.passed, f, both->type, span), name), count);
}

std::vector<Expr> loop(ModelBuilder& builder, const std::vector<Expr>& start, const ReadStep& goes_on,
                       const ReadStep& step, const std::string& name, const Span& span) {
  NewFunction f;
  std::vector<Expr> args, carried;
  for (const Expr& e : start) {
    args.push_back(builder.bind(e, "start"));
    f.params.push_back(Var::make(builder.fresh_name("carried"), args.back()->type, span));
    carried.emplace_back(f.params.back());
  }
  const Ref<GlobalVar> function = GlobalVar::make(builder.fresh_name(name), span);
  const Type type = result_of(carried, span)->type;
  const ModelBuilder::Moment around = builder.now();
  ModelBuilder::Body whole(builder);
  const Expr condition = builder.visible(as_scalar(builder, goes_on(carried).at(0), span));
  const std::vector<Ref<BindingBlock>> before = whole.blocks();
  ModelBuilder::Body inside(builder, around);
  std::vector<Expr> next = step(carried);
  check_carried(builder, carried, next);
  for (Expr& e : next) e = builder.visible(e);
  const std::vector<Ref<BindingBlock>> steps = inside.blocks();

  // What the condition and the step use besides is passed on from step to step.
  std::vector<Ref<BindingBlock>> all = before;
  all.insert(all.end(), steps.begin(), steps.end());
  std::vector<Expr> used = next;
  used.push_back(condition);
  f.capture(SeqExpr::make(std::move(all), Tuple::make(std::move(used)), span));
  next.insert(next.end(), f.passed.begin(), f.passed.end());
  const auto bound = [&](const Expr& value) {
    const Ref<Var> var = Var::make("result", type, span);
    return std::pair(BindingBlock::make({{var, value, nullptr, span}}), var);
  };
  const auto [call, after] = bound(Call::make_typed(function, std::move(next), {}, {}, type, span));
  std::vector<Ref<BindingBlock>> going_on = steps;
  going_on.push_back(call);
  const Expr both = If::make(condition, SeqExpr::make(std::move(going_on), after, span),
                             SeqExpr::make({}, result_of(carried, span), span), span);
  const auto [end, result] = bound(both);
  std::vector<Ref<BindingBlock>> blocks = before;
  blocks.push_back(end);
  f.add_to(builder, function, SeqExpr::make(std::move(blocks), result, span), type, span);
  inside.close();
  whole.close();
  args.insert(args.end(), f.passed.begin(), f.passed.end());
  return fields_of(builder.bind(call_of(function, std::move(args), f, type, span), name), start.size());
}

}  // namespace sunmao
