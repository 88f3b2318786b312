#include "passes/weights/lift_tuples.h"

#include <algorithm>
#include <unordered_set>

#include "ir/walk.h"
#include "passes/analysis/variables.h"
#include "passes/canonical/canonicalize_bindings.h"
#include "passes/weights/weight_dependence.h"

namespace sunmao {
namespace {

using Tuples = std::unordered_map<Ref<Var>, Ref<Tuple>>;

Tuples tuples_in(const Ref<Function>& f) {
  class Finder final : public Visitor {
   public:
    Tuples found;
    using Visitor::visit;

   private:
    void visit(const Binding& b) override {
      if (Ref<Tuple> tuple = b.is_match_cast() ? nullptr : find_ref<Tuple>(b.value)) found.emplace(b.var, tuple);
      Visitor::visit(b);
    }
  };
  Finder finder;
  finder.visit(Expr(f));
  return std::move(finder.found);
}

// True when a tuple contains a weight-only variable and another value.
bool mixes_weights(const Tuples& tuples, const WeightDependence& dependence) {
  return std::ranges::any_of(tuples, [&](const auto& entry) {
    const auto& [var, tuple] = entry;
    return !dependence.weight_only.contains(var) && std::ranges::any_of(count_uses(tuple), [&](const auto& use) {
      return dependence.weight_only.contains(use.first);
    });
  });
}

// Returns the variables bound to tuples that have no uses except as fields of other such tuples.
std::unordered_set<Ref<Var>> unread_tuples(const Ref<Function>& f) {
  const Tuples tuples = tuples_in(f);
  std::unordered_map<Ref<Var>, int> uses = count_uses(Expr(f));
  std::vector<Ref<Var>> work;
  for (const auto& [var, tuple] : tuples)
    if (uses[var] == 0) work.push_back(var);
  std::unordered_set<Ref<Var>> unread;
  while (!work.empty()) {
    const Ref<Var> var = work.back();
    work.pop_back();
    unread.insert(var);
    for (const auto& [field, count] : count_uses(tuples.at(var)))
      if ((uses[field] -= count) == 0 && tuples.contains(field)) work.push_back(field);
  }
  return unread;
}

class Remover final : public Rewriter {
 public:
  explicit Remover(std::unordered_set<Ref<Var>> removed) : removed_(std::move(removed)) {}
  using Rewriter::visit;

 private:
  void visit(const Binding& b) override {
    if (!removed_.contains(b.var)) Rewriter::visit(b);
  }
  const std::unordered_set<Ref<Var>> removed_;
};

}  // namespace

bool has_unread_tuples(const Ref<Function>& f) { return !unread_tuples(f).empty(); }

Ref<Function> with_tuples_apart(const Ref<Function>& function, size_t inputs, const Module& module) {
  const Tuples tuples = tuples_in(function);
  if (tuples.empty() || !mixes_weights(tuples, find_weight_dependence(*function, inputs, module))) return function;
  const Ref<Function> f = canonical_form(function);
  std::unordered_set<Ref<Var>> unread = unread_tuples(f);
  return unread.empty() ? f : Remover(std::move(unread)).rewrite(f);
}

}  // namespace sunmao
