// The pass `lambda-lift`: lifts local functions to module functions. Free variables become additional parameters; a
// recursive call passes them on, other uses go through a closure. A function without free variables that is only called
// needs no closure; where calls pass what is captured, no function that is only called does.
#include <algorithm>

#include "ir/builder.h"
#include "ir/copy.h"
#include "ops/ops.h"
#include "passes/analysis/variables.h"
#include "passes/pass_arguments.h"
#include "passes/passes.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// Generates names for lifted functions: `<outer>_<local>`, with a numeric suffix if that is taken.
class LiftedNames {
 public:
  explicit LiftedNames(const Module& m) {
    for (const FunctionEntry& e : m.functions()) taken_.insert(e.var->name);
  }
  std::string fresh(const std::string& wanted) {
    if (taken_.insert(wanted).second) return wanted;
    for (int i = 0;; ++i)
      if (std::string name = fmt::format("{}_{}", wanted, i); taken_.insert(name).second) return name;
  }

 private:
  std::unordered_set<std::string> taken_;
};

// Collects variables used other than as the callee of a call.
class UsedAsValues final : public Visitor {
 public:
  std::unordered_set<Ref<Var>> found;
  using Visitor::visit;

 private:
  void visit(const Var& v) override { found.emplace(&v); }
  void visit(const Call& call) override {
    if (!find<Var>(call.callee)) visit(call.callee);
    for (const Expr& a : call.args) visit(a);
  }
};

class Lifter final : public Rewriter {
 public:
  Lifter(std::string outer, bool captures_passed, LiftedNames& names, std::vector<FunctionEntry>& out)
      : outer_(std::move(outer)), captures_passed_(captures_passed), names_(names), out_functions_(out) {}

  Ref<Function> lift(const Ref<Function>& f) {
    UsedAsValues values;
    values.visit(Expr(f));
    values_ = std::move(values.found);
    return with_own_result(rewrite(f));
  }

 private:
  using Rewriter::visit;

  struct Lifted {
    Ref<GlobalVar> function;
    std::vector<Expr> captured;
    Expr symbols;     // a shape of the captured symbols, passed after `captured`; null when there are none
    bool is_closure;  // false: calls refer to the lifted function directly
    Type result;      // set once the function is lifted
  };

  // Returns the function without declared result type where a closure is returned, because the type of a closure is
  // unknown.
  static Ref<Function> with_own_result(const Ref<Function>& f) {
    if (!f->result_type || !f->body->type || !find<AnyType>(f->body->type) || find<AnyType>(f->result_type)) return f;
    if (!find<CallableType>(f->result_type)) return f;
    return Function::make(f->params, f->body, f->body->type, f->is_pure, f->attrs, f->span);
  }

  void visit(const Binding& b) override {
    const auto* function = find<Function>(b.value);
    if (!function) return Rewriter::visit(b);
    Lifted lifted{GlobalVar::make(names_.fresh(outer_ + "_" + b.var->name), b.span), captured_by(*function, b.var),
                  nullptr, false, nullptr};
    lifted.symbols = captured_symbols(*function, lifted.captured);
    const bool captures = !captures_passed_ && (!lifted.captured.empty() || lifted.symbols);
    lifted.is_closure = captures || values_.contains(b.var);
    lifted_[b.var] = lifted;
    inside_.push_back(b.var);
    Ref<Function> body = with_own_result(find_ref<Function>(Rewriter::visit(b.value)));
    inside_.pop_back();
    lifted_[b.var].result = body->result_type;
    add_function(lifted, *body);
    if (lifted.is_closure) bind(b, make_closure(lifted, b.span));
  }

  static Expr make_closure(const Lifted& lifted, const Span& span) {
    return Call::make(builtin_ops().get("make_closure"), {lifted.function, Tuple::make(additional_arguments(lifted))},
                      {}, {}, span);
  }

  // Returns what a lifted function takes after its own parameters: captured variables, then the captured symbols.
  static std::vector<Expr> additional_arguments(const Lifted& lifted) {
    std::vector<Expr> out = lifted.captured;
    if (lifted.symbols) out.push_back(lifted.symbols);
    return out;
  }

  bool is_inside(const Ref<Var>& function) const { return std::ranges::find(inside_, function) != inside_.end(); }

  std::vector<Expr> captured_by(const Function& f, const Ref<Var>& self) {
    std::vector<Expr> out;
    for (const Ref<Var>& v : free_vars(Expr(&f))) {
      if (v == self) continue;
      // An enclosing function has no closure yet: a function in it takes what the closure will hold.
      auto it = lifted_.find(v);
      const bool is_called = is_inside(v) || (it != lifted_.end() && !it->second.is_closure);
      const std::vector<Expr> needed = is_called ? it->second.captured : std::vector<Expr>{Rewriter::visit(*v)};
      for (const Expr& outer : needed)
        if (find<Var>(outer) && std::ranges::find(out, outer) == out.end()) out.push_back(outer);
    }
    return out;
  }

  // Returns a shape of the free symbols of `f` and of enclosing functions that it uses, without those that a parameter
  // will define; null when there are none.
  Expr captured_symbols(const Function& f, const std::vector<Expr>& captured) const {
    std::vector<Ref<Var>> params = f.params;
    for (const Expr& c : captured) params.push_back(find_ref<Var>(c));
    std::vector<Expr> used{Function::make(params, f.body, f.result_type, f.is_pure, {}, f.span)};
    for (const Ref<Var>& v : free_vars(Expr(&f))) {
      auto it = lifted_.find(v);
      if (it != lifted_.end() && (is_inside(v) || !it->second.is_closure) && it->second.symbols)
        used.push_back(it->second.symbols);
    }
    std::vector<Ref<SymVar>> free = free_symbolic_vars(Tuple::make(std::move(used)));
    if (free.empty()) return nullptr;
    return ShapeExpr::make(std::vector<Scalar>(free.begin(), free.end()), f.span);
  }

  void add_function(const Lifted& lifted, const Function& f) {
    std::vector<Ref<Var>> params = f.params;
    for (const Expr& c : lifted.captured) params.push_back(find_ref<Var>(c));
    if (lifted.symbols) params.push_back(Var::make("symbols", lifted.symbols->type, f.span));
    Ref<Function> whole =
        Function::make(std::move(params), f.body, f.result_type, f.is_pure, f.attrs.without("global_symbol"), f.span);
    out_functions_.push_back({lifted.function, FreshCopy().copy(whole)});
  }

  // Within a function that is being lifted, a use of it as a value makes the closure anew.
  Expr visit(const Var& var) override {
    const Ref<Var> v(&var);
    return is_inside(v) ? emit(make_closure(lifted_.at(v), var.span), var.name) : Rewriter::visit(var);
  }

  Expr visit(const Call& call) override {
    Ref<Var> callee = find_ref<Var>(call.callee);
    if (!callee) return Rewriter::visit(call);
    std::vector<Expr> args;
    for (const Expr& a : call.args) args.push_back(Rewriter::visit(a));
    auto it = lifted_.find(callee);
    if (it != lifted_.end()) {
      const Lifted& lifted = it->second;
      if (!lifted.is_closure || is_inside(callee)) {
        std::ranges::copy(additional_arguments(lifted), std::back_inserter(args));
        bool unknown = lifted.result && find<AnyType>(lifted.result);
        return Call::make_typed(lifted.function, std::move(args), call.attrs, call.type_args,
                                unknown ? lifted.result : call.type, call.span);
      }
    }
    Expr closure = Rewriter::visit(*callee);
    if (find<CallableType>(closure->type)) return call.with_args(std::move(args));
    const auto* signature = find<CallableType>(callee->type);
    const char* invoke = signature && signature->is_pure ? "invoke_pure_closure" : "invoke_closure";
    return Call::make(builtin_ops().get(invoke), {closure, Tuple::make(std::move(args))}, {}, {call.type}, call.span);
  }

  const std::string outer_;
  const bool captures_passed_;
  LiftedNames& names_;
  std::vector<FunctionEntry>& out_functions_;
  std::unordered_set<Ref<Var>> values_;
  std::unordered_map<Ref<Var>, Lifted> lifted_;
  std::vector<Ref<Var>> inside_;  // enclosing local functions, innermost last
};

}  // namespace

Module lambda_lift(const Module& m, const PassContext& ctx) {
  const bool captures_passed = PassArguments("lambda-lift", ctx).bool_("captures_passed");
  LiftedNames names(m);
  std::vector<FunctionEntry> entries;
  for (const FunctionEntry& e : m.functions()) {
    Ref<Function> f = find_ref<Function>(Expr(e.func));
    if (!f) continue;
    std::vector<FunctionEntry> lifted;
    Ref<Function> rest = Lifter(e.var->name, captures_passed, names, lifted).lift(f);
    if (rest != f) entries.push_back({e.var, rest});
    entries.insert(entries.end(), lifted.begin(), lifted.end());
  }
  return entries.empty() ? m : m.with_functions(std::move(entries));
}

}  // namespace sunmao
