// The pass `fold-batch-norm`: folds a batch norm in its inference form into the preceding convolution or matmul when it
// is the only consumer of that result. The scale is multiplied into the weight, the shift becomes a bias addition.
#include "ops/ops.h"
#include "ops/product_axes.h"
#include "passes/algebra/scaled_weights.h"
#include "passes/analysis/unused.h"
#include "passes/analysis/variables.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

class BatchNormFolder final : public Rewriter {
 public:
  explicit BatchNormFolder(const Ref<Function>& f) : uses_(count_uses(Expr(f))) {}

 private:
  using Rewriter::visit;

  Expr visit(const TupleGetItem& item) override {
    Expr visited = Rewriter::visit(item);
    const auto* taken = find<TupleGetItem>(visited);
    if (!taken || taken->index != 0 || !is_used_once(item.tuple)) return visited;
    Expr norm = value_of(taken->tuple);
    const Call* call = norm ? find_call(norm, "nn.batch_norm") : nullptr;
    const auto* product = call ? find<Call>(value_of(call->args[0])) : nullptr;
    if (!product || !is_used_once(call->args[0])) return visited;
    Expr folded = fold(*call, *product);
    return folded ? folded : visited;
  }

  bool is_used_once(const Expr& e) const {
    auto it = uses_.find(find_ref<Var>(e));
    return it != uses_.end() && it->second == 1;
  }

  Expr step(const char* op, std::vector<Expr> args) {
    return emit(Call::make(builtin_ops().get(op), std::move(args)), "lv");
  }

  Expr fold(const Call& norm, const Call& product) {
    const auto axes = product_axes(product);
    const auto* data = find<TensorType>(norm.args[0]->type);
    const int64_t axis = *norm.attrs.find<int64_t>("axis");
    if (!axes || axes->result < 0 || axes->weight_result < 0 || data->dtype.is_void()) return nullptr;
    if ((axis < 0 ? axis + data->rank : axis) != axes->result) return nullptr;
    const auto* weights = find<TensorType>(product.args[1]->type);
    if (weights->dtype != data->dtype || weights->rank == kUnknownRank) return nullptr;
    const bool scales = *norm.attrs.find<bool>("scale"), centres = *norm.attrs.find<bool>("center");
    Expr epsilon = number_constant(*norm.attrs.find<double>("epsilon"), data->dtype);
    Expr deviation = step("sqrt", {step("add", {norm.args[4], epsilon})});
    Expr unit = scales ? norm.args[1] : number_constant(1, data->dtype);
    Expr scale = step("divide", {unit, deviation});
    const EmitFn emit_step = [this](const Expr& e) { return emit(e, "lv"); };
    Ref<Call> scaled = with_scaled_weight(product, axes->weight_result, "multiply", scale, emit_step);
    Expr moved = step("multiply", {norm.args[3], scale});
    Expr shift = centres ? step("subtract", {norm.args[2], moved}) : step("negative", {moved});
    Expr result = emit(scaled, "lv");
    return Call::make(builtin_ops().get("add"), {result, emit(along_axis(shift, axes->result, data->rank), "lv")}, {},
                      {}, norm.span);
  }

  std::unordered_map<Ref<Var>, int> uses_;
};

}  // namespace

Module fold_batch_norm(const Module& m, const PassContext&) {
  return map_without_unused(m, [&](const Ref<Function>& f) { return BatchNormFolder(f).rewrite(f); });
}

}  // namespace sunmao
