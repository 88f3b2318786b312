#include "passes/canonical/early_kills.h"

#include <ranges>

#include "ir/walk.h"

namespace sunmao {
namespace {

Ref<Var> killed_by(const Binding& b) {
  const auto* call = find<Call>(b.value);
  const Op* op = call ? op_of(*call) : nullptr;
  return op && op->name() == "vm.kill_object" ? find_ref<Var>(call->args.at(0)) : nullptr;
}

class KillSearch final : public Visitor {
 public:
  bool any = false;
  using Visitor::visit;

 private:
  void visit(const Binding& b) override {
    any |= static_cast<bool>(killed_by(b));
    Visitor::visit(b);
  }
};

using Vars = std::unordered_set<Ref<Var>>;

// Walks bindings backwards; `later` is the set of variables used after the current position.
class EarlyKills {
 public:
  Vars found;  // variables of the bindings whose kills are premature

  void look_at(const SeqExpr& seq, Vars later) {
    read(seq.body, later);
    for (const Ref<BindingBlock>& block : std::views::reverse(seq.blocks))
      for (const Binding& b : std::views::reverse(block->bindings)) {
        if (const Ref<Var> v = killed_by(b); v && later.contains(v)) found.insert(b.var);
        if (const auto* branch = find<If>(b.value)) {
          look_at(*branch->then_branch, later);
          look_at(*branch->else_branch, later);
        }
        if (const auto* local = find<Function>(b.value)) look_at(*local->body, {});
        read(b.value, later);
      }
  }

 private:
  static void read(const Expr& e, Vars& later) {
    for (const Ref<Var>& v : free_vars(e)) later.insert(v);
  }
};

class Remover final : public Rewriter {
 public:
  explicit Remover(Vars removed) : removed_(std::move(removed)) {}

 private:
  using Rewriter::visit;
  void visit(const Binding& b) override {
    if (!removed_.contains(b.var)) Rewriter::visit(b);
  }
  const Vars removed_;
};

}  // namespace

Ref<Function> without_early_kills(const Ref<Function>& function) {
  KillSearch search;
  search.visit(Expr(function));
  if (!search.any) return function;
  EarlyKills kills;
  kills.look_at(*function->body, {});
  return kills.found.empty() ? function : Remover(std::move(kills.found)).rewrite(function);
}

}  // namespace sunmao
