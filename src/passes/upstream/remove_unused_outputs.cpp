// The pass `remove-unused-outputs`: removes fields of private functions' results that no call site reads; a single
// remaining field is returned without a tuple. A function of whose result no field is read, or some use takes the whole
// tuple, is unchanged.
#include <algorithm>
#include <set>

#include "ir/walk.h"
#include "passes/analysis/blocks.h"
#include "passes/analysis/call_sites.h"
#include "passes/analysis/unused.h"
#include "passes/analysis/variables.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

using Fields = std::set<int>;

// Collects the fields read from results of calls; `whole` has the functions whose results are used in another way.
class TakenFields final : public Visitor {
 public:
  std::map<std::string, Fields> taken;
  std::unordered_set<std::string> whole;
  using Visitor::visit;

 private:
  const std::string* source_of(const Expr& e) const {
    auto it = results_.find(find_ref<Var>(e));
    return it == results_.end() ? nullptr : &it->second;
  }
  void visit(const Binding& b) override {
    Visitor::visit(b);
    const auto* call = find<Call>(b.value);
    const auto* g = call ? find<GlobalVar>(call->callee) : nullptr;
    if (!g) return;
    if (b.is_match_cast()) whole.insert(g->name);
    results_[b.var] = g->name;
    taken[g->name];
  }
  void visit(const Var& v) override {
    if (const std::string* name = source_of(Expr(&v))) whole.insert(*name);
  }
  void visit(const TupleGetItem& item) override {
    if (const std::string* name = source_of(item.tuple))
      taken[*name].insert(item.index);
    else
      Visitor::visit(item);
  }
  std::unordered_map<Ref<Var>, std::string> results_;
};

Expr pick(const std::vector<Expr>& fields, const Fields& kept) {
  std::vector<Expr> out;
  for (int i : kept) out.push_back(fields[static_cast<size_t>(i)]);
  return out.size() == 1 ? out[0] : Tuple::make(std::move(out));
}

// Reduces the result of a function to the fields `kept`.
class Reducer final : public Rewriter {
 public:
  explicit Reducer(const Fields& kept) : kept_(kept) {}

  Ref<Function> run(const Function& f) {
    const auto* tuple = find<Tuple>(f.body->body);
    result_ = find_ref<Var>(f.body->body);
    Ref<SeqExpr> body;
    if (tuple) {
      body = SeqExpr::make(f.body->blocks, pick(tuple->fields, kept_), f.body->span);
    } else {
      body = visit_seq(f.body);
      if (!replaced_) body = take_fields(*f.body);
    }
    Ref<Function> reduced = Function::make(f.params, body, nullptr, f.is_pure, f.attrs, f.span);
    return reduced;
  }

 private:
  using Rewriter::visit;
  void visit(const Binding& b) override {
    const auto* tuple = b.var == result_ ? find<Tuple>(b.value) : nullptr;
    if (!tuple) return Rewriter::visit(b);
    replaced_ = true;
    bind(b, pick(tuple->fields, kept_));
  }

  Ref<SeqExpr> take_fields(const SeqExpr& seq) const {
    std::vector<Binding> bindings;
    std::vector<Expr> fields;
    for (int i : kept_) {
      Expr item = TupleGetItem::make(seq.body, i, seq.span);
      Ref<Var> var = Var::make("field", item->type, seq.span);
      bindings.push_back({var, item, nullptr, seq.span});
      fields.push_back(var);
    }
    std::vector<Ref<BindingBlock>> blocks = seq.blocks;
    blocks.push_back(BindingBlock::make(std::move(bindings)));
    return SeqExpr::make(merge_blocks(blocks), fields.size() == 1 ? fields[0] : Tuple::make(std::move(fields)),
                         seq.span);
  }

  const Fields& kept_;
  Ref<Var> result_;
  bool replaced_ = false;
};

class OutputUpdater final : public Rewriter {
 public:
  OutputUpdater(const Module& module, const std::map<std::string, Fields>& kept) : module_(module), kept_(kept) {}

 private:
  using Rewriter::visit;
  void visit(const Binding& b) override {
    const auto* call = find<Call>(b.value);
    const auto* g = call ? find<GlobalVar>(call->callee) : nullptr;
    auto it = g ? kept_.find(g->name) : kept_.end();
    if (it == kept_.end()) return Rewriter::visit(b);
    Expr visited = Rewriter::visit(b.value);
    const auto* c = find<Call>(visited);
    Type result = infer_call(*find<CallableType>(signature_of(module_, *g)), c->args, c->span, g->name);
    results_[b.var] = &it->second;
    bind(b, Call::make_typed(c->callee, c->args, c->attrs, c->type_args, result, c->span));
  }
  Expr visit(const TupleGetItem& item) override {
    auto it = results_.find(find_ref<Var>(item.tuple));
    if (it == results_.end()) return Rewriter::visit(item);
    const Fields& kept = *it->second;
    Expr tuple = Rewriter::visit(item.tuple);
    if (kept.size() == 1) return tuple;
    auto index = std::distance(kept.begin(), kept.find(item.index));
    return TupleGetItem::make(tuple, static_cast<int>(index), item.span);
  }
  const Module& module_;
  const std::map<std::string, Fields>& kept_;
  std::unordered_map<Ref<Var>, const Fields*> results_;
};

}  // namespace

Module remove_unused_outputs(const Module& m, const PassContext& ctx) {
  TakenFields fields;
  for (const FunctionEntry& e : m.functions())
    if (find<Function>(Expr(e.func))) fields.visit(Expr(e.func));
  std::map<std::string, Fields> kept;
  std::vector<FunctionEntry> entries;
  for (const auto& [name, site] : find_call_sites(m)) {
    const auto* type = find<TupleType>(site.function->body->type);
    auto taken = fields.taken.find(name);
    if (!type || taken == fields.taken.end() || taken->second.empty() || fields.whole.contains(name)) continue;
    if (taken->second.size() == type->fields.size()) continue;
    kept.emplace(name, taken->second);
    Ref<Function> reduced = Reducer(taken->second).run(*site.function);
    entries.push_back({m.find_var(name), find_ref<Function>(remove_all_unused(Expr(reduced), &m))});
  }
  if (kept.empty()) return m;
  Module reduced = m.with_functions(std::move(entries));
  Module updated =
      map_functions(reduced, [&](const Ref<Function>& f) { return OutputUpdater(reduced, kept).rewrite(f); });
  return canonicalize_bindings(updated, ctx);
}

}  // namespace sunmao
