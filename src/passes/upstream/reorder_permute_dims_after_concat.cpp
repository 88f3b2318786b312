// The pass `reorder-permute-dims-after-concat`: concat(permute(a), permute(b)) becomes permute(concat(a, b)) if all
// permutations are equal.
#include <algorithm>

#include "ir/walk.h"
#include "passes/analysis/unused.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

class PermuteDimsReorderer final : public Rewriter {
  using Rewriter::visit;

  // Returns the permutation of a permute_dims; empty when the rank is unknown.
  static std::vector<int64_t> axes_of(const Call& call) {
    const auto* type = find<TensorType>(call.args[0]->type);
    if (!type || type->rank == kUnknownRank) return {};
    std::vector<int64_t> axes;
    const AttrValue* given = call.attrs.find("axes");
    if (std::optional<std::vector<int64_t>> list = given ? given->as_ints() : std::nullopt) {
      for (int64_t a : *list) axes.push_back(a < 0 ? a + type->rank : a);
    } else {
      for (int64_t a = type->rank; a-- > 0;) axes.push_back(a);
    }
    return axes;
  }

  const Tuple* tuple_of(const Expr& e) const {
    const auto* direct = find<Tuple>(e);
    return direct ? direct : find<Tuple>(value_of(e));
  }

  Expr visit(const Call& call) override {
    Expr visited = Rewriter::visit(call);
    const Call* concat = find_call(visited, "concat");
    const Tuple* parts = concat ? tuple_of(concat->args[0]) : nullptr;
    if (!parts || parts->fields.size() < 2) return visited;
    const Call* first = find_call(value_of(parts->fields[0]), "permute_dims");
    std::vector<int64_t> axes = first ? axes_of(*first) : std::vector<int64_t>();
    std::vector<Expr> sources;
    for (const Expr& part : parts->fields) {
      const Call* permute = find_call(value_of(part), "permute_dims");
      if (axes.empty() || !permute || axes_of(*permute) != axes) return visited;
      sources.push_back(permute->args[0]);
    }
    const int64_t* axis = concat->attrs.find<int64_t>("axis");
    int64_t at = axis ? *axis : 0;
    if (at < 0) at += static_cast<int64_t>(axes.size());
    if (at < 0 || at >= static_cast<int64_t>(axes.size())) return visited;
    Attrs attrs = concat->attrs.with("axis", axes[static_cast<size_t>(at)]);
    Expr joined = emit(Call::make(concat->callee, {Tuple::make(std::move(sources))}, attrs, {}, call.span), "lv");
    return Call::make(first->callee, {joined}, first->attrs, {}, call.span);
  }
};

}  // namespace

Module reorder_permute_dims_after_concat(const Module& m, const PassContext&) {
  return map_without_unused(m, [&](const Ref<Function>& f) { return PermuteDimsReorderer().rewrite(f); });
}

}  // namespace sunmao
