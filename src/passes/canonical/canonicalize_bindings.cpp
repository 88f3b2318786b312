// The pass `canonicalize-bindings`: resolves symbols of match_casts, then computes a plan and applies it in a single
// rewrite.
#include <algorithm>

#include "eval/host_function.h"
#include "ir/equal.h"
#include "ir/walk.h"
#include "passes/analysis/blocks.h"
#include "passes/canonical/canonicalize_bindings.h"
#include "passes/canonical/cast_symbols.h"
#include "passes/canonical/early_kills.h"
#include "passes/pass_arguments.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

struct Plan {
  std::unordered_map<Ref<Var>, Expr> uses;            // maps a variable to its replacement at uses
  std::unordered_map<Ref<Var>, Ref<Var>> definition;  // maps a variable to its replacement at its definition
  std::unordered_set<Ref<Var>> removed;               // variables whose bindings are removed
  bool empty() const { return uses.empty() && definition.empty() && removed.empty(); }
};

// Collects the variables that rename another variable or a constant, those that are defined in a dataflow block, and
// among these those that are used outside that block.
class Facts final : public Visitor {
 public:
  std::vector<std::pair<Ref<Var>, Ref<Var>>> renames;  // in order of the bindings
  std::vector<std::pair<Ref<Var>, Expr>> constants;
  std::vector<Ref<Var>> in_dataflow;  // defined in a dataflow block
  std::unordered_set<Ref<Var>> read_outside;
  using Visitor::visit;

  // True when `var` is defined outside the dataflow block in which `of` is defined.
  bool is_outside_block(const Ref<Var>& var, const Ref<Var>& of) const {
    auto home = homes_.find(of);
    if (home == homes_.end()) return false;
    auto around = around_.find(var);
    return around == around_.end() || std::ranges::find(around->second, home->second) == around->second.end();
  }

 private:
  void visit(const Var& v) override {
    auto home = homes_.find(Ref<Var>(&v));
    if (home != homes_.end() && std::ranges::find(blocks_, home->second) == blocks_.end())
      read_outside.insert(home->first);
  }

  void visit_block(const BindingBlock& block) override {
    if (block.is_dataflow) blocks_.push_back(&block);
    Visitor::visit_block(block);
    if (block.is_dataflow) blocks_.pop_back();
  }

  void visit(const Binding& b) override {
    if (!blocks_.empty() && blocks_.back()) {
      homes_.emplace(b.var, blocks_.back());
      in_dataflow.push_back(b.var);
    }
    Visitor::visit(b);
    if (b.is_match_cast()) return;
    note_emptied(b.value);
    Expr stands_for = resolve(b.value);
    if (find<Var>(stands_for)) around_[b.var] = blocks_;
    bool same_type = stands_for->type && structural_equal(stands_for->type, b.var->type);
    if (same_type || !find<Var>(stands_for)) values_[b.var] = stands_for;
    if (!same_type) return;
    if (Ref<Var> v = find_ref<Var>(stands_for)) renames.emplace_back(b.var, v);
    if (find<Constant>(stands_for)) constants.emplace_back(b.var, stands_for);
  }

  // Variables bound directly in the body of a closure or a branch do not belong to the enclosing dataflow block; a use
  // there counts as inside that block.
  void visit(const If& branch) override {
    Visitor::visit(branch.condition);
    blocks_.push_back(nullptr);
    Visitor::visit(*branch.then_branch);
    Visitor::visit(*branch.else_branch);
    blocks_.pop_back();
  }
  void visit(const Function& f) override {
    blocks_.push_back(nullptr);
    Visitor::visit(f);
    blocks_.pop_back();
  }

  Expr value_of(const Expr& e) const {
    Ref<Var> v = find_ref<Var>(e);
    auto it = v ? values_.find(v) : values_.end();
    return it == values_.end() ? e : it->second;
  }

  // Records tuples whose fields `reset_item` clears: a tuple rebuilt from fields that were read before is not equal to
  // the cleared tuple.
  void note_emptied(const Expr& value) {
    const auto* call = find<Call>(value);
    const auto* callee = call && call->args.size() == 2 ? find<ExternFunc>(call->args[0]) : nullptr;
    if (!callee || callee->name != kResetItem) return;
    for (const Ref<Var>& v : free_vars(call->args[1])) emptied_.insert(v);
  }

  // Returns the earliest expression that is equal to `value`, through renames, fields of known tuples, and tuples
  // rebuilt from all fields of another tuple.
  Expr resolve(const Expr& value) const {
    if (const auto* item = find<TupleGetItem>(value)) {
      const auto* tuple = find<Tuple>(value_of(item->tuple));
      return tuple ? leaf_of(tuple->fields[static_cast<size_t>(item->index)]) : value;
    }
    if (const auto* tuple = find<Tuple>(value)) {
      Expr whole = unpacked_from(*tuple);
      return whole ? whole : value;
    }
    return find<Var>(value) ? leaf_of(value) : value;
  }

  // Returns the variable that `e` renames, but never the computation that it is bound to.
  Expr leaf_of(const Expr& e) const {
    Expr value = value_of(e);
    return find<Var>(value) ? value : e;
  }

  Expr unpacked_from(const Tuple& tuple) const {
    Expr whole;
    for (size_t i = 0; i < tuple.fields.size(); ++i) {
      const auto* item = find<TupleGetItem>(value_of(tuple.fields[i]));
      if (!item || item->index != static_cast<int>(i)) return nullptr;
      Expr from = leaf_of(item->tuple);
      if (whole && whole != from) return nullptr;
      whole = from;
    }
    const auto* type = whole && find<Var>(whole) ? find<TupleType>(whole->type) : nullptr;
    const bool is_emptied = emptied_.contains(find_ref<Var>(whole));
    return type && type->fields.size() == tuple.fields.size() && !is_emptied ? whole : Expr();
  }

  std::vector<const BindingBlock*> blocks_;  // null entries stand for branches and closures nested in a block
  std::unordered_map<Ref<Var>, const BindingBlock*> homes_;
  std::unordered_map<Ref<Var>, std::vector<const BindingBlock*>> around_;  // the blocks that enclose a rename
  std::unordered_map<Ref<Var>, Expr> values_;
  std::unordered_set<Ref<Var>> emptied_;
};

class Planner {
 public:
  explicit Planner(const Facts& facts) : facts_(facts) {}

  Plan run() {
    for (const auto& [var, stands_for] : facts_.renames) plan_rename(var, stands_for);
    for (const auto& [var, constant] : facts_.constants) plan_.uses.emplace(var, constant);
    narrow();
    return std::move(plan_);
  }

 private:
  Ref<Var> final_name(Ref<Var> v) const {
    for (auto it = plan_.uses.find(v); it != plan_.uses.end() && find<Var>(it->second); it = plan_.uses.find(v))
      v = find_ref<Var>(it->second);
    return v;
  }

  void plan_rename(const Ref<Var>& var, const Ref<Var>& stands_for) {
    Ref<Var> target = final_name(stands_for);
    plan_.removed.insert(var);
    const bool is_read_outside = facts_.read_outside.contains(var) || facts_.is_outside_block(var, target);
    if (!target->is_dataflow || !is_read_outside) {
      plan_.uses[var] = target;
      if (is_read_outside) read_outside_.insert(target);
      return;
    }
    // `target` is a dataflow variable that would be used outside of its block, so its definition binds a plain variable
    // instead.
    const Ref<Var> plain = as_plain(var);
    plan_.definition[target] = plain;
    plan_.uses[target] = plain;
    if (plain != var) plan_.uses[var] = plain;
    read_outside_.insert(plain);
  }

  // Turns plain variables that are used only in the dataflow block that defines them into dataflow variables.
  void narrow() {
    for (const Ref<Var>& v : facts_.in_dataflow) {
      bool leaves = facts_.read_outside.contains(v) || read_outside_.contains(v);
      if (v->is_dataflow || leaves || plan_.removed.contains(v)) continue;
      Ref<Var> narrow = as_dataflow(v);
      plan_.definition[v] = narrow;
      plan_.uses.emplace(v, narrow);
    }
  }

  const Facts& facts_;
  Plan plan_;
  std::unordered_set<Ref<Var>> read_outside_;
};

class Canonicalizer final : public Rewriter {
 public:
  explicit Canonicalizer(Plan plan) : plan_(std::move(plan)) {}

 private:
  using Rewriter::visit;

  void visit(const Binding& b) override {
    if (plan_.removed.contains(b.var)) return;
    auto it = plan_.definition.find(b.var);
    Ref<Var> var = it == plan_.definition.end() ? b.var : it->second;
    bind(Binding{var, b.value, b.cast_type, b.span}, Rewriter::visit(b.value));
  }

  Expr visit(const Var& v) override {
    Expr e(&v);
    for (auto it = plan_.uses.find(find_ref<Var>(e)); it != plan_.uses.end();) {
      e = it->second;
      it = find<Var>(e) ? plan_.uses.find(find_ref<Var>(e)) : plan_.uses.end();
    }
    const auto* var = find<Var>(e);
    return var ? Rewriter::visit(*var) : e;
  }

  const Plan plan_;
};

}  // namespace

Ref<Function> canonicalize_bindings(const Ref<Function>& function, bool in_numbers) {
  Ref<Function> f = resolve_cast_symbols(function, in_numbers);
  Facts facts;
  facts.visit(Expr(f));
  Plan plan = Planner(facts).run();
  f = without_early_kills(plan.empty() ? f : Canonicalizer(std::move(plan)).rewrite(f));
  // What a cast says in a branch alone is resolved there and said again for what follows.
  return f != function && structural_equal(f, function) ? function : f;
}

Ref<Function> canonical_form(Ref<Function> function) {
  for (Ref<Function> before; before != function;) function = canonicalize_bindings(before = function, true);
  return function;
}

Module canonicalize_bindings(const Module& m, const PassContext& ctx) {
  const bool in_numbers = PassArguments("canonicalize-bindings", ctx).bool_("in_numbers");
  return map_functions(m, [&](const Ref<Function>& f) { return canonicalize_bindings(f, in_numbers); });
}

}  // namespace sunmao
