// The pass `expand-matmul-of-sum`: matmul(x, a + b) becomes matmul(x, a) + matmul(x, b), also with the sum transposed,
// if a and b have the same shape and a + b is not known at compile time.
#include <algorithm>

#include "ir/walk.h"
#include "passes/analysis/compile_time.h"
#include "passes/analysis/unused.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

class Expander final : public Rewriter {
 public:
  explicit Expander(const Function& f) {
    for (const Ref<Var>& v : computable_at_compile_time(f)) known_.insert(v);
  }

 private:
  using Rewriter::visit;

  Expr visit(const Call& call) override {
    Expr visited = Rewriter::visit(call);
    const Call* matmul = find_call(visited, "matmul");
    if (!matmul) return visited;
    const Call* permute = find_call(value_of(matmul->args[1]), "permute_dims");
    Expr weight = permute ? permute->args[0] : matmul->args[1];
    const Call* sum = find_call(value_of(weight), "add");
    if (!sum || known_.contains(find_ref<Var>(weight)) || !same_shape(*sum)) return visited;
    auto product = [&](Expr side) {
      if (permute) side = emit(Call::make(permute->callee, {side}, permute->attrs, {}, call.span), "lv");
      return emit(Call::make(matmul->callee, {matmul->args[0], side}, matmul->attrs, {}, call.span), "lv");
    };
    Expr left = product(sum->args[0]), right = product(sum->args[1]);
    return Call::make(sum->callee, {left, right}, sum->attrs, {}, call.span);
  }

  // The rewrite requires that the sum does not broadcast.
  static bool same_shape(const Call& sum) {
    const auto *a = find<TensorType>(sum.args[0]->type), *b = find<TensorType>(sum.args[1]->type);
    if (!a || !b || !a->dims() || !b->dims() || a->rank != b->rank) return false;
    Analyzer analyzer;
    return std::ranges::equal(*a->dims(), *b->dims(),
                              [&](const Scalar& x, const Scalar& y) { return analyzer.can_prove_equal(x, y); });
  }

  std::unordered_set<Ref<Var>> known_;
};

}  // namespace

Module expand_matmul_of_sum(const Module& m, const PassContext&) {
  return map_without_unused(m, [&](const Ref<Function>& f) { return Expander(*f).rewrite(f); });
}

}  // namespace sunmao
