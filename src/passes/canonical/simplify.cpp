// The pass `simplify`: applies the op library's algebraic rules in one walk, which visits operands before the calls
// that use them.
#include "passes/canonical/simplify.h"
#include "passes/analysis/forwarding_rewriter.h"

#include "ir/walk.h"
#include "ops/ops.h"
#include "passes/passes.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// Bound on rule applications per call: every rule gives a simpler form, so exceeding it means that two rules alternate.
constexpr int kMostSteps = 100;

using RulesByOp = std::unordered_map<const Op*, std::vector<const AlgebraicRule*>>;

RulesByOp by_op(std::span<const AlgebraicRule> rules) {
  RulesByOp out;
  for (const AlgebraicRule& rule : rules)
    for (const char* name : rule.ops) out[&*builtin_ops().get(name)].push_back(&rule);
  return out;
}

class Simplifier final : public ForwardingRewriter {
 public:
  explicit Simplifier(const RulesByOp& rules) : rules_(rules) {}

 private:
  using ForwardingRewriter::visit;

  Expr visit(const Call& call) override {
    Expr e = Rewriter::visit(call);
    for (int i = 0; i < kMostSteps; ++i) {
      const auto* simpler_call = find<Call>(e);
      Expr simpler = simpler_call ? apply_one(*simpler_call) : nullptr;
      if (!simpler) return e;
      e = simpler;
    }
    SUNMAO_CHECK(false, "the rules of `{}` come to no end", op_of(call)->name());
    return e;
  }

  // Returns null when no rule applies, or none whose result type is as precise as the call's.
  Expr apply_one(const Call& call) {
    const Op* op = op_of(call);
    auto it = op ? rules_.find(op) : rules_.end();
    if (it == rules_.end() || !call.type) return nullptr;
    const RuleInput input(call, analyzer_, definition_);
    for (const AlgebraicRule* rule : it->second) {
      Expr result = rule->apply(input);
      if (result && result->type && fits(call.type, result->type, analyzer_) == Fit::Yes) return result;
    }
    return nullptr;
  }

  const RulesByOp& rules_;
  Analyzer analyzer_;
  DefinitionFn definition_ = [this](const Expr& e) { return value_of(e); };
};

}  // namespace

Module simplify(const Module& m, std::span<const AlgebraicRule> rules) {
  const RulesByOp table = by_op(rules);
  return map_functions(m, [&](const Ref<Function>& f) { return Simplifier(table).rewrite(f); });
}

Module simplify(const Module& m, const PassContext&) { return simplify(m, algebraic_rules()); }

}  // namespace sunmao
