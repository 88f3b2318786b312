#include "passes/weights/lift_tuples.h"

#include <unordered_set>

#include "ir/walk.h"
#include "passes/analysis/variables.h"
#include "passes/canonical/canonicalize_bindings.h"

namespace sunmao {
namespace {

// The variables of tuples that nothing reads, or only such tuples.
std::unordered_set<Ref<Var>> unread_tuples(const Ref<Function>& f) {
  class Tuples final : public Visitor {
   public:
    std::unordered_map<Ref<Var>, Ref<Tuple>> found;
    using Visitor::visit;

   private:
    void visit(const Binding& b) override {
      if (Ref<Tuple> tuple = b.is_match_cast() ? nullptr : find_ref<Tuple>(b.value)) found.emplace(b.var, tuple);
      Visitor::visit(b);
    }
  };
  Tuples tuples;
  tuples.visit(Expr(f));
  std::unordered_map<Ref<Var>, int> uses = count_uses(Expr(f));
  std::vector<Ref<Var>> work;
  for (const auto& [var, tuple] : tuples.found)
    if (uses[var] == 0) work.push_back(var);
  std::unordered_set<Ref<Var>> unread;
  while (!work.empty()) {
    const Ref<Var> var = work.back();
    work.pop_back();
    unread.insert(var);
    for (const auto& [field, count] : count_uses(tuples.found.at(var)))
      if ((uses[field] -= count) == 0 && tuples.found.contains(field)) work.push_back(field);
  }
  return unread;
}

}  // namespace

Ref<Function> with_tuples_apart(const Ref<Function>& given) {
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
  const Ref<Function> f = canonical_form(given);
  std::unordered_set<Ref<Var>> unread = unread_tuples(f);
  return unread.empty() ? f : Remover(std::move(unread)).rewrite(f);
}

}  // namespace sunmao
