#include "passes/analysis/unused.h"

#include <algorithm>
#include <ranges>

#include "eval/host_function.h"
#include "ir/equal.h"
#include "ir/type_relation.h"
#include "ops/ops.h"
#include "passes/analysis/open_sizes.h"
#include "passes/analysis/purity.h"
#include "passes/analysis/variables.h"

namespace sunmao {
namespace {

using Needed = std::unordered_set<Ref<Var>>;

class Keeps {
 public:
  explicit Keeps(const Module* module) : query_{.own_name = {}, .module = module} {}
  /// True when a binding is kept although its variable is unused.
  bool operator()(const Binding& b) const {
    // A match_cast of a shape expression or a number is a run-time check, with an effect even if its variable is
    // unused.
    const bool checks = b.is_match_cast() && (find<ShapeExpr>(b.value) || find<PrimType>(b.cast_type));
    if (checks || (b.is_match_cast() && !defined_symbols(b.cast_type).empty())) return true;
    // A scalar read from a tuple may define a symbol.
    if (find<TupleGetItem>(b.value) && find<PrimType>(b.var->type) && !defined_symbols(b.var->type).empty())
      return true;
    if (empties_a_field(b.value)) return true;
    return !find<Function>(b.value) && contains_impure_call(b.value, query_);
  }

 private:
  // True for the call that resets a tuple field, which frees memory; it is declared pure to be allowed in dataflow
  // blocks.
  static bool empties_a_field(const Expr& value) {
    const auto* call = find<Call>(value);
    const auto* callee = call && !call->args.empty() ? find<ExternFunc>(call->args[0]) : nullptr;
    return callee && callee->name == kResetItem;
  }

  const ImpureCallQuery query_;
};

// Counts the parameters and casts of a function that define each symbol; none for a part of a function, whose symbols
// the rest may use.
class Definers final : public Visitor {
 public:
  explicit Definers(const Expr& e) {
    if (find<Function>(e)) Visitor::visit(e);
  }
  bool has_casts() const { return has_casts_; }
  bool is_only(const Ref<SymVar>& s) const {
    auto it = count_.find(s);
    return it != count_.end() && it->second == 1;
  }

 private:
  using Visitor::visit;
  void note(const Type& type) {
    for (const Ref<SymVar>& s : definable_symbols(type)) ++count_[s];
  }
  void visit(const Function& f) override {
    for (const Ref<Var>& p : f.params)
      if (p->type) note(p->type);
    Visitor::visit(f);
  }
  void visit(const Binding& b) override {
    if (b.is_match_cast()) note(b.cast_type);
    has_casts_ = has_casts_ || b.is_match_cast();
    if (find<If>(b.value) || find<Function>(b.value)) Visitor::visit(b);
  }
  std::unordered_map<Ref<SymVar>, int> count_;
  bool has_casts_ = false;
};

// Collects the variables that are needed, and the casts that only name sizes that nothing asks for, from the last
// binding to the first.
class Needs final : public Visitor {
 public:
  Needs(const Keeps& keeps, const Definers& definers) : keeps_(keeps), definers_(definers) {}
  Needed found, idle_casts;
  using Visitor::visit;

 private:
  void visit(const SeqExpr& seq) override {
    Visitor::visit(seq.body);
    for (const Ref<BindingBlock>& block : std::views::reverse(seq.blocks)) visit_block(*block);
  }
  void visit(const Var& var) override { found.insert(Ref<Var>(&var)); }
  void visit_block(const BindingBlock& block) override {
    for (const Binding& b : std::views::reverse(block.bindings)) {
      if (!found.contains(b.var) && !keeps_(b)) continue;
      if (!found.contains(b.var) && is_idle(b)) {
        idle_casts.insert(b.var);
        continue;
      }
      note_symbols(b.var->type);
      Visitor::visit(b.value);
    }
  }
  void visit(const Call& call) override {
    for (const Type& t : call.type_args) note_symbols(t);
    Visitor::visit(call);
  }
  void visit_leaf(const Expr& e) override {
    if (find<ShapeExpr>(e) || find<PrimValue>(e)) note_symbols(e->type);
  }
  void note_symbols(const Type& type) {
    if (!definers_.has_casts() || !type) return;
    for (const Ref<SymVar>& s : free_symbols(type)) symbols_.insert(s);
  }
  // True for a cast that cannot fail, since it only names each size that the type of the value leaves open, by a symbol
  // that nothing needs.
  bool is_idle(const Binding& b) const {
    if (!b.is_match_cast() || !find<Var>(b.value) || !leaves_sizes_open(b.value->type)) return false;
    const std::vector<Ref<SymVar>> named = definable_symbols(b.cast_type);
    auto next = named.begin();
    auto is_new = [&](const Ref<SymVar>& s) { return definers_.is_only(s) && !symbols_.contains(s); };
    if (!std::ranges::all_of(named, is_new)) return false;
    const Type expected = with_sizes(b.value->type, [&] { return next == named.end() ? int_imm(0) : Scalar(*next++); });
    return structural_equal(expected, b.cast_type);
  }
  const Keeps& keeps_;
  const Definers& definers_;
  std::unordered_set<Ref<SymVar>> symbols_;  // of what is needed
};

class Cleaner final : public Rewriter {
 public:
  Cleaner(const Keeps& keeps, const Needs& needs) : keeps_(keeps), needs_(needs) {}
  using Rewriter::visit;
  Expr clean(const Expr& e) { return visit(e); }

 private:
  void visit(const Binding& b) override {
    if (needs_.found.contains(b.var) || (keeps_(b) && !needs_.idle_casts.contains(b.var))) Rewriter::visit(b);
  }
  const Keeps& keeps_;
  const Needs& needs_;
};

}  // namespace

Expr remove_all_unused(const Expr& e, const Module* module) {
  Keeps keeps(module);
  // What goes may have been the only other definition of a symbol.
  for (Expr rest = e;;) {
    const Definers definers(rest);
    Needs needs(keeps, definers);
    needs.visit(rest);
    const Expr before = std::exchange(rest, Cleaner(keeps, needs).clean(rest));
    if (rest == before || !definers.has_casts()) return rest;
  }
}

namespace {

class OpensUnusedHostCalls final : public Rewriter {
 public:
  explicit OpensUnusedHostCalls(const Ref<Function>& f) : params_(f->params.begin(), f->params.end()) {
    for (const Ref<Var>& v : used_vars(Expr(f))) used_.insert(v);
  }
  using Rewriter::visit;

 private:
  void visit(const Binding& binding) override {
    const auto* call = find<Call>(binding.value);
    const std::optional<std::vector<Expr>> opened =
        call && !binding.is_match_cast() && !used_.contains(binding.var) ? host_call(*call) : std::nullopt;
    if (!opened) return Rewriter::visit(binding);
    bind(binding, Call::make(packed_call(), *opened, {}, {AnyType::make()}, call->span));
  }

  static Expr packed_call() { return builtin_ops().get("call_pure_packed"); }

  // Returns the arguments that `call_pure_packed` takes to call the same function of the host; nullopt for other calls.
  std::optional<std::vector<Expr>> host_call(const Call& call) const {
    const Op* op = op_of(call);
    if (op && op->name() == "call_pure_packed") return call.args;
    const Ref<Var> callee = find_ref<Var>(call.callee);
    const auto* type = callee && params_.contains(callee) ? find<CallableType>(callee->type) : nullptr;
    if (!type || !type->is_pure) return std::nullopt;
    std::vector<Expr> args{callee};
    args.insert(args.end(), call.args.begin(), call.args.end());
    return std::vector<Expr>{ExternFunc::make(kInvokeClosure), Tuple::make(std::move(args))};
  }

  const Needed params_;
  Needed used_;
};

}  // namespace

Module open_unused_host_calls(const Module& module) {
  return map_functions(module, [](const Ref<Function>& f) { return OpensUnusedHostCalls(f).rewrite(f); });
}

}  // namespace sunmao
