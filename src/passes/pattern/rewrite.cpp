#include "passes/pattern/rewrite.h"

#include <algorithm>

#include "ir/equal.h"
#include "passes/analysis/unused.h"
#include "passes/analysis/variables.h"
#include "passes/passes.h"
#include "passes/pattern/binding_order.h"
#include "passes/pattern/call_round.h"
#include "passes/pattern/nested_values.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// Limits for rewrites that create new matches endlessly.
constexpr size_t kMaxRounds = 1000;
constexpr size_t kMaxReplacements = 1000;

size_t binding_count(const Function& f) {
  size_t count = 0;
  for (const Ref<BindingBlock>& block : f.body->blocks) count += block->bindings.size();
  return count;
}

// Applies `round`, which counts its replacements, until it replaces nothing or the function is unchanged.
template <class Round>
Ref<Function> repeat(Ref<Function> f, Round round) {
  const size_t limit = kMaxReplacements + 10 * binding_count(*f);
  size_t replaced = 0;
  for (size_t i = 0; i < kMaxRounds && replaced <= limit; ++i) {
    size_t before = replaced;
    Ref<Function> next = round(f, replaced);
    if (replaced == before || structural_equal(Expr(next), Expr(f))) return f;
    f = std::move(next);
  }
  fail("E0524", f->span, fmt::format("a rewrite by pattern found matches without end ({} values replaced)", replaced),
       "let the rewriting function return the expression that it is given where nothing is to change");
}

Ref<Function> normal_form(const Ref<Function>& f) {
  return normalize(Module().with_function("main", f), {}).find_as<Function>("main");
}

// Replaces a result tuple made of all fields of one tuple by that tuple.
Ref<Function> join_result(const Ref<Function>& f) {
  const auto* tuple = find<Tuple>(f->body->body);
  if (!tuple || tuple->fields.empty()) return f;
  const std::unordered_map<Ref<Var>, Expr> values = var_to_value(Expr(f));
  Expr whole;
  for (size_t i = 0; i < tuple->fields.size(); ++i) {
    auto it = values.find(find_ref<Var>(tuple->fields[i]));
    const auto* item = it == values.end() ? nullptr : find<TupleGetItem>(it->second);
    if (!item || item->index != static_cast<int>(i) || (whole && item->tuple != whole)) return f;
    whole = item->tuple;
  }
  const auto* var = find<Var>(whole);
  const auto* type = find<TupleType>(whole->type);
  if (!var || var->is_dataflow || !type || type->fields.size() != tuple->fields.size()) return f;
  return Function::make(f->params, SeqExpr::make(f->body->blocks, whole, f->body->span), f->result_type, f->is_pure,
                        f->attrs, f->span);
}

Ref<Function> clean(const Ref<Function>& f) {
  Module m = Module().with_function("main", join_result(f));
  m = canonicalize_bindings(eliminate_common_subexpr(m, {}), {});
  return find_ref<Function>(remove_all_unused(Expr(m.find("main"))));
}

[[noreturn]] void fail_placement(const Var& var, const char* why) {
  fail("E0525", var.span, fmt::format("a rewrite by pattern replaces the value of `{}`, {}", var.name, why),
       "replace variables that the matched block binds, by values that do not depend on them");
}

class BindingRound final : public NestedRewriter {
 public:
  BindingRound(const PatternGraph& graph, const BindingRewrite& rewrite, const Ref<Function>& f, size_t& replaced)
      : graph_(graph), rewrite_(rewrite), values_(var_to_value(Expr(f))), replaced_(replaced) {}

 private:
  using Rewriter::visit;

  Ref<BindingBlock> visit_block(const Ref<BindingBlock>& block) override {
    std::optional<Matches> found = block->is_dataflow ? match_block(graph_, *block) : std::nullopt;
    Replacements replacements = found ? rewrite_(*found, values_) : Replacements();
    if (replacements.empty()) return Rewriter::visit_block(block);
    std::vector<Binding> bindings = block->bindings;
    for (const auto& [var, value] : replacements) {
      auto it = std::ranges::find(bindings, var, &Binding::var);
      if (it == bindings.end()) fail_placement(*var, "which the matched block does not bind");
      *it = Binding{var, value, nullptr, it->span};
    }
    replaced_ += replacements.size();
    auto ordered = [](const std::vector<Binding>& unordered) {
      return in_order(unordered, [](const Var& v) { fail_placement(v, "by what is computed from it"); });
    };
    return Rewriter::visit_block(BindingBlock::make_dataflow(ordered(bindings), block->span));
  }

  void visit(const Binding& b) override { bind(b, flatten(b.value)); }

  const PatternGraph& graph_;
  const BindingRewrite& rewrite_;
  const std::unordered_map<Ref<Var>, Expr> values_;
  size_t& replaced_;
};

}  // namespace

Ref<Function> rewrite_calls(const Ref<Pattern>& pattern, const CallRewrite& rewrite, const Ref<Function>& function,
                            Tuples tuples) {
  const std::vector<Alternative> alternatives = alternatives_of(pattern);
  Ref<Function> start = normal_form(function);
  Ref<Function> result = repeat(start, [&](const Ref<Function>& f, size_t& replaced) {
    size_t before = replaced;
    Ref<Function> next = CallRound(alternatives, rewrite, tuples, replaced).rewrite(f);
    return replaced == before ? f : clean(next);
  });
  return result == start ? function : result;
}

Ref<Function> rewrite_bindings(const PatternGraph& graph, const BindingRewrite& rewrite,
                               const Ref<Function>& function) {
  return repeat(function, [&](const Ref<Function>& f, size_t& replaced) {
    size_t before = replaced;
    Ref<Function> next = BindingRound(graph, rewrite, f, replaced).rewrite(f);
    return replaced == before ? f : find_ref<Function>(remove_all_unused(Expr(next)));
  });
}

}  // namespace sunmao
