// The pass `reorder-take-after-matmul`: matmul(x, take(table, indices)) becomes take(matmul(x, table), indices), so
// that the table, a weight, is used whole.
#include <algorithm>

#include "ir/walk.h"
#include "ops/ops.h"
#include "passes/analysis/unused.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

class TakeReorderer final : public Rewriter {
  using Rewriter::visit;

  Expr visit(const Call& call) override {
    Expr visited = Rewriter::visit(call);
    const Call* matmul = find_call(visited, "matmul");
    const Call* take = matmul ? find_call(value_of(matmul->args[1]), "take") : nullptr;
    const int64_t* axis = take ? take->attrs.find<int64_t>("axis") : nullptr;
    if (!axis) return visited;
    const auto *x = find<TensorType>(matmul->args[0]->type), *table = find<TensorType>(take->args[0]->type),
               *indices = find<TensorType>(take->args[1]->type);
    if (!x || !table || !indices || !x->dims() || !table->dims() || !indices->dims() || indices->rank != 1)
      return visited;
    int64_t at = *axis < 0 ? *axis + table->rank : *axis;
    if (at + 1 == table->rank) return take_columns(*matmul, *take);
    if (at == 0 && table->rank == 3 && x->rank == 3) return take_batches(*matmul, *take, *x, *table);
    return visited;
  }

  // `take` selects columns: the same selection on the last axis of the product.
  Expr take_columns(const Call& matmul, const Call& take) {
    const auto* table = find<TensorType>(take.args[0]->type);
    if (table->rank != 2) return Expr(&matmul);
    Expr product = emit(Call::make(matmul.callee, {matmul.args[0], take.args[0]}, matmul.attrs, {}, matmul.span), "lv");
    Attrs attrs = take.attrs.with("axis", int64_t{find<TensorType>(product->type)->rank - 1});
    return Call::make(take.callee, {product, take.args[1]}, attrs, {}, take.span);
  }

  // `take` selects one matrix per batch: computes all products, from which each batch takes its own.
  Expr take_batches(const Call& matmul, const Call& take, const TensorType& x, const TensorType& table) {
    const std::vector<Scalar>&xs = *x.dims(), &ts = *table.dims();
    Analyzer analyzer;
    if (!analyzer.can_prove_equal(xs[0], (*find<TensorType>(take.args[1]->type)->dims())[0])) return Expr(&matmul);
    Attrs order(AttrMap{{"axes", AttrValue::ints({1, 0, 2})}});
    Expr permuted = emit(Call::make(builtin_ops().get("permute_dims"), {take.args[0]}, order, {}, take.span), "lv");
    Expr flat = reshape(permuted, {ts[1], analyzer.simplify(ts[0] * ts[2])});
    Expr product = emit(Call::make(matmul.callee, {matmul.args[0], flat}, matmul.attrs, {}, matmul.span), "lv");
    Expr apart = reshape(product, {xs[0], xs[1], ts[0], ts[2]});
    Attrs axis = take.attrs.with("axis", int64_t{2});
    Expr taken = emit(Call::make(take.callee, {apart, take.args[1]}, axis, {}, take.span), "lv");
    Attrs subscripts(AttrMap{{"subscripts", "ijik->ijk"}});
    return Call::make(builtin_ops().get("einsum"), {Tuple::make({taken})}, subscripts, {}, matmul.span);
  }

  Expr reshape(const Expr& e, std::vector<Scalar> dims) {
    return emit(Call::make(builtin_ops().get("reshape"), {e, ShapeExpr::make(std::move(dims))}, {}, {}, e->span), "lv");
  }
};

}  // namespace

Module reorder_take_after_matmul(const Module& m, const PassContext&) {
  return map_without_unused(m, [&](const Ref<Function>& f) { return TakeReorderer().rewrite(f); });
}

}  // namespace sunmao
