#include "passes/canonical/cast_symbols.h"

#include <algorithm>

#include "ir/equal.h"
#include "ir/type_relation.h"
#include "ir/walk.h"
#include "passes/analysis/blocks.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

void match_dims(std::span<const Scalar> pattern, std::span<const Scalar> value,
                std::vector<std::pair<Ref<SymVar>, Scalar>>& out) {
  for (size_t i = 0; i < std::min(pattern.size(), value.size()); ++i)
    if (Ref<SymVar> s = find_ref<SymVar>(pattern[i])) out.emplace_back(s, value[i]);
}

// Appends pairs of a symbol that is a whole dimension in `pattern` and the scalar at that position in `value`.
void match(const Type& pattern, const Type& value, std::vector<std::pair<Ref<SymVar>, Scalar>>& out) {
  if (!pattern || !value || pattern->kind != value->kind) return;
  if (const auto* p = find<TensorType>(pattern)) {
    if (p->dims() && find<TensorType>(value)->dims()) match_dims(*p->dims(), *find<TensorType>(value)->dims(), out);
  } else if (const auto* s = find<ShapeType>(pattern)) {
    if (s->values && find<ShapeType>(value)->values) match_dims(*s->values, *find<ShapeType>(value)->values, out);
  } else if (const auto* t = find<TupleType>(pattern)) {
    const std::vector<Type>& fields = find<TupleType>(value)->fields;
    for (size_t i = 0; i < std::min(t->fields.size(), fields.size()); ++i) match(t->fields[i], fields[i], out);
  }
}

class CastSearch final : public Visitor {
 public:
  bool any = false;
  std::unordered_set<Ref<SymVar>> in_numbers;  // symbols that numbers use
  using Visitor::visit;

 private:
  void visit(const Binding& b) override {
    any |= b.is_match_cast();
    Visitor::visit(b);
  }
  void visit_leaf(const Expr& e) override {
    if (find<PrimValue>(e))
      for (const Ref<SymVar>& s : free_symbols(e->type)) in_numbers.insert(s);
  }
};

class Resolver final : public Rewriter {
 public:
  /// Numbers stay as they are where they use the symbols of `kept`.
  Resolver(const Function& f, std::unordered_set<Ref<SymVar>> kept) : kept_(std::move(kept)) {
    for (const Ref<Var>& p : f.params)
      for (const Ref<SymVar>& s : definable_symbols(p->type)) defined_.insert(s);
  }

 private:
  using Rewriter::visit;

  Type resolve(const Type& t) const { return substitute(t, known_); }

  // Records which scalars the symbols of a match_cast are equal to. Returns true when the cast must be kept, because it
  // asserts something that holds in this branch only, or defines a symbol that is kept.
  bool learn(const Binding& b, const Type& value_type) {
    bool must_stay = false;
    std::vector<std::pair<Ref<SymVar>, Scalar>> pairs;
    match(b.cast_type, resolve(value_type), pairs);
    for (auto& [symbol, scalar] : pairs) {
      if (auto it = known_.find(symbol); it != known_.end()) {
        if (analyzer_.can_prove(Binary::make(BinaryOp::Ne, it->second, scalar)))
          fail("E0516", b.span,
               fmt::format("MatchCast statements must be consistent: `{}` is {} and {}", symbol->name,
                           describe(it->second), describe(scalar)));
      } else if (!defined_.contains(symbol)) {
        known_.emplace(symbol, scalar);
      } else if (in_branch_ && !find<SymVar>(scalar)) {
        // The cast asserts a constant or expression that holds in this branch only, so the assertion is kept. It
        // replaces nothing where the symbol is a part of the expression.
        const std::vector<Ref<SymVar>> used = free_symbols(scalar);
        if (std::ranges::find(used, symbol) == used.end()) known_.emplace(symbol, scalar);
        must_stay = true;
      }
    }
    for (const Ref<SymVar>& s : definable_symbols(b.cast_type)) {
      const bool is_first = defined_.insert(s).second;
      must_stay |= is_first && kept_.contains(s);
    }
    return must_stay;
  }

  void visit(const Binding& b) override {
    Expr value = Rewriter::visit(b.value);
    bool must_stay = b.is_match_cast() && learn(b, value->type);
    if (must_stay) return bind(b, value);
    Type cast = resolve(b.cast_type);
    if (cast && structural_equal(cast, value->type)) cast = nullptr;
    bool as_before = value == b.value || b.is_match_cast();
    Type type = resolve(as_before ? b.var->type : value->type);
    Ref<Var> var = structural_equal(type, b.var->type) ? b.var : b.var->with_type(type);
    if (var != b.var) replace(b.var, var);
    bind(Binding{var, value, cast, b.span}, value);
  }

  Expr visit(const Function& function) override {
    Expr visited = Rewriter::visit(function);
    const auto& f = *find<Function>(visited);
    Type result = resolve(f.result_type);
    if (result == f.result_type) return visited;
    return Function::make(f.params, f.body, result, f.is_pure, f.attrs, f.span);
  }

  Scalar resolve(const Scalar& value) {
    Scalar replaced = substitute(value, known_);
    return replaced.same_as(value) ? value : analyzer_.simplify(replaced);
  }

  Expr visit_leaf(const Expr& e) override {
    if (known_.empty()) return e;
    if (const auto* prim = find<PrimValue>(e)) {
      if (std::ranges::any_of(free_symbols(prim->value), [&](const auto& s) { return kept_.contains(s); })) return e;
      Scalar value = resolve(prim->value);
      return value.same_as(prim->value) ? e : PrimValue::make(std::move(value), e->span);
    }
    const auto* shape = find<ShapeExpr>(e);
    if (!shape) return e;
    std::vector<Scalar> values;
    for (const Scalar& v : shape->values) values.push_back(resolve(v));
    return values == shape->values ? e : ShapeExpr::make(std::move(values), e->span);
  }

  Expr visit(const Call& call) override {
    Expr visited = Rewriter::visit(call);
    const auto* c = find<Call>(visited);
    if (!c || known_.empty()) return visited;
    std::vector<Type> types;
    for (const Type& t : c->type_args) types.push_back(resolve(t));
    // What a function of the module returns is not inferred from the call alone.
    const bool is_stated = find<GlobalVar>(c->callee) && c->type;
    const Type type = is_stated ? resolve(c->type) : c->type;
    if (types == c->type_args && (!is_stated || structural_equal(type, c->type))) return visited;
    return is_stated ? Call::make_typed(c->callee, c->args, c->attrs, std::move(types), type, c->span)
                     : Call::make(c->callee, c->args, c->attrs, std::move(types), c->span);
  }

  // Symbols resolved in a branch are valid only there; the branch's result is cast to the type it has outside.
  Expr visit(const If& branch) override {
    Expr condition = Rewriter::visit(branch.condition);
    Ref<SeqExpr> yes = visit_branch(branch.then_branch), no = visit_branch(branch.else_branch);
    if (condition == branch.condition && yes == branch.then_branch && no == branch.else_branch) return Expr(&branch);
    return If::make(condition, yes, no, branch.span);
  }

  Ref<SeqExpr> visit_branch(const Ref<SeqExpr>& seq) {
    Substitution known = known_;
    const std::unordered_set<Ref<SymVar>> defined = defined_;
    bool outer = std::exchange(in_branch_, true);
    Ref<SeqExpr> visited = visit_seq(seq);
    in_branch_ = outer;
    known_ = std::move(known);
    Type type = resolve(seq->body->type);
    if (!type || structural_equal(type, visited->body->type)) return visited;
    // A symbol of the branch alone says nothing outside of it.
    const auto is_outer = [&](const Ref<SymVar>& s) { return defined.contains(s); };
    if (!std::ranges::all_of(free_symbols(type), is_outer)) return visited;
    Analyzer analyzer;
    if (fits(type, visited->body->type, analyzer) == Fit::Yes) return visited;
    Ref<Var> result = Var::make("result", type, seq->span);
    std::vector<Ref<BindingBlock>> blocks = visited->blocks;
    blocks.push_back(BindingBlock::make({{result, visited->body, type, seq->span}}));
    return SeqExpr::make(merge_blocks(blocks), result, seq->span);
  }

  const std::unordered_set<Ref<SymVar>> kept_;
  std::unordered_set<Ref<SymVar>> defined_;
  Substitution known_;
  bool in_branch_ = false;
  Analyzer analyzer_;
};

}  // namespace

Ref<Function> resolve_cast_symbols(const Ref<Function>& function, bool in_numbers) {
  CastSearch casts;
  casts.visit(Expr(function->body));
  if (!casts.any) return function;
  if (in_numbers) casts.in_numbers.clear();
  return Resolver(*function, std::move(casts.in_numbers)).rewrite(function);
}

}  // namespace sunmao
