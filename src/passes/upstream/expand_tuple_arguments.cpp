// The pass `expand-tuple-arguments`: replaces tuple parameters of private functions by one parameter per field.
#include <algorithm>

#include "ir/walk.h"
#include "passes/analysis/blocks.h"
#include "passes/analysis/call_sites.h"
#include "passes/analysis/unused.h"
#include "passes/passes.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// Appends the parameters for a (nested) tuple, and returns the tuple of them that replaces it in the body.
Expr expand_param(const std::string& name, const Type& type, const Span& span, std::vector<Ref<Var>>& params) {
  const auto* tuple = find<TupleType>(type);
  if (!tuple) {
    params.push_back(Var::make(name, type, span));
    return params.back();
  }
  std::vector<Expr> fields;
  for (size_t i = 0; i < tuple->fields.size(); ++i)
    fields.push_back(expand_param(fmt::format("{}_{}", name, i), tuple->fields[i], span, params));
  return Tuple::make(std::move(fields), span);
}

Ref<Function> expand_params(const Function& f) {
  std::vector<Ref<Var>> params;
  std::vector<Binding> tuples;
  for (const Ref<Var>& p : f.params) {
    if (!find<TupleType>(p->type)) {
      params.push_back(p);
      continue;
    }
    Expr tuple = expand_param(p->name, p->type, p->span, params);
    tuples.push_back({p, tuple, nullptr, p->span});
  }
  std::vector<Ref<BindingBlock>> blocks{BindingBlock::make(std::move(tuples))};
  blocks.insert(blocks.end(), f.body->blocks.begin(), f.body->blocks.end());
  Ref<SeqExpr> body = SeqExpr::make(merge_blocks(blocks), f.body->body, f.body->span);
  return Function::make(std::move(params), std::move(body), f.result_type, f.is_pure, f.attrs, f.span);
}

class TupleArgumentUpdater final : public Rewriter {
 public:
  explicit TupleArgumentUpdater(const std::unordered_set<std::string>& expanded) : expanded_(expanded) {}

 private:
  using Rewriter::visit;

  Expr visit(const Call& call) override {
    Expr visited = Rewriter::visit(call);
    const auto* c = find<Call>(visited);
    const auto* g = c ? find<GlobalVar>(c->callee) : nullptr;
    if (!g || !expanded_.contains(g->name)) return visited;
    std::vector<Expr> args;
    for (const Expr& a : c->args) expand(a, args);
    return c->with_args(std::move(args));
  }

  void expand(const Expr& e, std::vector<Expr>& out) {
    if (const auto* tuple = find<Tuple>(e)) {
      for (const Expr& f : tuple->fields) expand(f, out);
    } else if (const auto* type = find<TupleType>(e->type)) {
      for (size_t i = 0; i < type->fields.size(); ++i)
        expand(emit(TupleGetItem::make(e, static_cast<int>(i), e->span), "field"), out);
    } else {
      out.push_back(e);
    }
  }
  const std::unordered_set<std::string>& expanded_;
};

}  // namespace

Module expand_tuple_arguments(const Module& m, const PassContext& ctx) {
  std::unordered_set<std::string> expanded;
  Module changed = m;
  for (const auto& [name, site] : find_call_sites(m)) {
    if (std::ranges::none_of(site.function->params, [](const Ref<Var>& p) { return find<TupleType>(p->type); }))
      continue;
    expanded.insert(name);
    Module one = canonicalize_bindings(Module().with_function(name, expand_params(*site.function)), ctx);
    changed = changed.with_function(m.find_var(name),
                                    find_ref<Function>(remove_all_unused(Expr(one.find_as<Function>(name)), &m)));
  }
  if (expanded.empty()) return m;
  return map_functions(changed, [&](const Ref<Function>& f) { return TupleArgumentUpdater(expanded).rewrite(f); });
}

}  // namespace sunmao
