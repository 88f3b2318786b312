#include <ranges>

#include "ir/walk.h"
#include "loop/prim_func.h"
#include "passes/graph/graph_passes.h"

namespace sunmao {
namespace {

// Whether dropping the value loses no effect.
class Purity final : public Visitor {
 public:
  explicit Purity(const Module& module) : module_(module) {}
  bool of(const Expr& e) {
    pure_ = true;
    Visitor::visit(e);
    return pure_;
  }

 private:
  using Visitor::visit;
  void visit(const Call& call) override {
    if (const Op* op = op_of(call)) {
      pure_ &= op->info.is_pure;
    } else {
      const auto* global = find<GlobalVar>(call.callee);
      const auto* signature = find<CallableType>(global ? signature_of(module_, *global) : call.callee->type);
      pure_ &= signature && signature->is_pure;
    }
    Visitor::visit(call);
  }
  void visit(const Function&) override {}  // a closure does nothing until it is called

  const Module& module_;
  bool pure_ = true;
};

using Uses = std::unordered_set<Ref<Var>>;

// What a function needs, found backwards: a binding counts when its variable is used or its value has an effect.
class Needs final : public Visitor {
 public:
  Needs(const Module& module, Uses& uses) : module_(module), uses_(uses) {}
  using Visitor::visit;

 private:
  void visit(const SeqExpr& seq) override {
    Visitor::visit(seq.body);
    for (const Ref<BindingBlock>& block : std::views::reverse(seq.blocks)) visit_block(*block);
  }
  void visit(const Var& var) override { uses_.insert(Ref<Var>(&var)); }
  void visit_block(const BindingBlock& block) override {
    for (auto b = block.bindings.rbegin(); b != block.bindings.rend(); ++b) {
      bool defines = b->is_match_cast() && !defined_symbols(b->cast_type).empty();
      if (uses_.contains(b->var) || defines || !Purity(module_).of(b->value)) Visitor::visit(b->value);
    }
  }
  const Module& module_;
  Uses& uses_;
};

class Cleaner final : public Rewriter {
 public:
  Cleaner(const Module& module, Uses needed) : module_(module), needed_(std::move(needed)) {}

 private:
  using Rewriter::visit;
  void visit(const Binding& b) override {
    bool used = needed_.contains(b.var) || (b.is_match_cast() && !defined_symbols(b.cast_type).empty());
    if (used || !Purity(module_).of(b.value)) Rewriter::visit(b);
  }
  const Module& module_;
  const Uses needed_;
};

class Callees final : public Visitor {
 public:
  std::unordered_set<std::string> names;
  using Visitor::visit;

 private:
  void visit_leaf(const Expr& e) override {
    if (const auto* g = find<GlobalVar>(e)) names.insert(g->name);
  }
};

// Functions are entry points when they carry a global symbol; a module without any keeps all its functions.
Module drop_unreachable(const Module& m) {
  std::unordered_set<std::string> reached;
  std::vector<std::string> work;
  for (const FunctionEntry& e : m.functions())
    if (e.func->attrs.has("global_symbol") && find<Function>(Expr(e.func))) work.push_back(e.var->name);
  if (work.empty()) return m;
  while (!work.empty()) {
    std::string name = std::move(work.back());
    work.pop_back();
    if (!reached.insert(name).second) continue;
    Callees callees;
    if (Ref<BaseFunc> f = m.find(name)) callees.visit(Expr(f));
    work.insert(work.end(), callees.names.begin(), callees.names.end());
  }
  Module out = m;
  for (const FunctionEntry& e : m.functions()) {
    bool exported = find<PrimFunc>(Expr(e.func)) && e.func->attrs.has("global_symbol");
    if (!reached.contains(e.var->name) && !exported) out = out.without_function(e.var->name);
  }
  return out;
}

}  // namespace

Module eliminate_dead_code(const Module& m, const PassContext&) {
  Module cleaned = map_functions(m, [&](const Ref<Function>& f) {
    Uses needed;
    Needs(m, needed).visit(Expr(f));
    return Cleaner(m, std::move(needed)).rewrite(f);
  });
  return drop_unreachable(cleaned);
}

}  // namespace sunmao
