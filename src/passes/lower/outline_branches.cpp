// The pass `outline-branches`: each branch of an If becomes a call of a private function, so that bytecode needs no
// scopes inside a function. A branch that is a call of a function of the module stays as it is.
#include <fmt/format.h>

#include <algorithm>

#include "ir/builder.h"
#include "ir/copy.h"
#include "ir/type_relation.h"
#include "passes/analysis/purity.h"
#include "passes/analysis/variables.h"
#include "passes/lower/outlined_part.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

// True for what the call of an outlined branch passes: variables and symbols.
bool is_passed(const Expr& e) {
  if (const auto* prim = find<PrimValue>(e)) return find<SymVar>(prim->value);
  if (const auto* shape = find<ShapeExpr>(e))
    return std::ranges::all_of(shape->values, [](const Scalar& s) { return find<SymVar>(s); });
  return find<Var>(e);
}

class Outliner final : public Rewriter {
 public:
  Outliner(std::string name, const Module& module, NameSupply& names)
      : module_(module), names_(names), name_(std::move(name)) {}

  // The functions of the branches are appended to `out`.
  Ref<Function> run(const Ref<Function>& f, std::vector<FunctionEntry>& out) {
    for (const Ref<Var>& p : f->params)
      for (const Ref<SymVar>& s : definable_symbols(p->type)) known_.insert(s);
    Ref<Function> rest = rewrite(f);
    check_symbols(*rest);
    if (stays_whole_) return f;
    std::ranges::move(outlined_, std::back_inserter(out));
    return rest;
  }

 private:
  using Rewriter::visit;

  void visit(const Binding& b) override {
    if (find<If>(b.value) && !b.is_match_cast()) {
      bind_branches(b);
    } else {
      Rewriter::visit(b);
    }
    for (const Ref<SymVar>& s : symbols_of(b)) known_.insert(s);
  }

  // What a type says in symbols of both branches is not known from calls: a cast says it again.
  void bind_branches(const Binding& b) {
    const Expr value = visit(b.value);
    Analyzer analyzer;
    const bool was_known = fits(b.var->type, b.value->type, analyzer) == Fit::Yes;
    if (value == b.value || !was_known || fits(b.var->type, value->type, analyzer) == Fit::Yes) return bind(b, value);
    const Binding cast{b.var, emit(value, b.var->name), b.var->type, b.span};
    bind(cast, cast.value);
    for (const Ref<SymVar>& s : definable_symbols(cast.cast_type)) known_.insert(s);
  }

  Expr visit(const If& branch) override {
    const Expr condition = Rewriter::visit(branch.condition);
    const Ref<SeqExpr> then_branch = outline(branch.then_branch, "then");
    const Ref<SeqExpr> else_branch = outline(branch.else_branch, "else");
    if (condition == branch.condition && then_branch == branch.then_branch && else_branch == branch.else_branch)
      return Expr(&branch);
    return If::make(condition, then_branch, else_branch, branch.span);
  }

  Ref<SeqExpr> outline(const Ref<SeqExpr>& branch, const char* side) {
    if (stays(*branch)) return visit_seq(branch);
    const Symbols before = known_;
    const std::string around = std::exchange(name_, names_.fresh(fmt::format("{}_{}", name_, side)));
    const bool is_pure = !contains_impure_call(Expr(branch), {.own_name = {}, .module = &module_});
    const size_t place = outlined_.size();
    const Ref<SeqExpr> body = visit_seq(branch);
    const Ref<GlobalVar> function = GlobalVar::make(std::exchange(name_, around), branch->span);
    known_ = before;
    return call_of(function, body, is_pure, place);
  }

  bool stays(const SeqExpr& branch) const {
    std::vector<Binding> bindings;
    for (const Ref<BindingBlock>& block : branch.blocks)
      std::ranges::copy(block->bindings, std::back_inserter(bindings));
    if (bindings.empty() || std::ranges::any_of(bindings, &Binding::is_match_cast)) return false;
    // The result may have a name of its own, of a type with other words.
    for (size_t i = 1; i < bindings.size(); ++i)
      if (bindings[i].value != bindings[i - 1].var) return false;
    if (branch.body != bindings.back().var) return false;
    const auto* call = find<Call>(bindings[0].value);
    const auto* callee = call ? find<GlobalVar>(call->callee) : nullptr;
    return callee && module_.find_as<Function>(callee->name) && std::ranges::all_of(call->args, is_passed);
  }

  // Adds the function of a branch, before those of its own branches, and returns what is left of the branch.
  Ref<SeqExpr> call_of(const Ref<GlobalVar>& name, const Ref<SeqExpr>& body, bool is_pure, size_t place) {
    auto [f, args] = outlined_part(body, {.known = known_, .is_pure = is_pure});
    const auto* signature = find<CallableType>(f->type);
    if (!signature) {  // types are missing
      stays_whole_ = true;
      return body;
    }
    check_symbols(*f);
    for (const Ref<SymVar>& s : symbols_of_bindings(*body))
      if (!known_.contains(s)) inner_.insert(s);
    outlined_.insert(outlined_.begin() + static_cast<std::ptrdiff_t>(place), {name, FreshCopy().copy(f)});
    const Type type = infer_call(*signature, args, body->span, name->name);
    const auto* result = find<Var>(body->body);
    const Ref<Var> var = Var::make(result ? result->name : "out", type, body->span);
    const Expr call = Call::make_typed(name, std::move(args), {}, {}, type, body->span);
    return SeqExpr::make({BindingBlock::make({{var, call, nullptr, body->span}})}, var, body->span);
  }

  // Notes whether a function uses a symbol that one of its branches defined.
  void check_symbols(const Function& f) {
    const std::vector<Ref<SymVar>> named = symbols_of_bindings(*f.body);
    stays_whole_ |= std::ranges::any_of(free_symbolic_vars(Expr(&f)), [&](const Ref<SymVar>& s) {
      return inner_.contains(s) && std::ranges::find(named, s) == named.end();
    });
  }

  const Module& module_;
  NameSupply& names_;
  std::string name_;          // the function that the If being visited will stand in
  Symbols known_;             // defined before the binding being visited
  Symbols inner_;             // defined by outlined branches
  bool stays_whole_ = false;  // the function, with all its branches
  std::vector<FunctionEntry> outlined_;
};

}  // namespace

Module outline_branches(const Module& m, const PassContext&) {
  return with_parts_outlined(
      m, [&m](const OutlineRequest& r) { return Outliner(r.name, m, r.names).run(r.function, r.outlined); });
}

}  // namespace sunmao
