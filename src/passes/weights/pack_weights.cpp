// The pass `pack-weights`: makes float32 matmuls with a weight of rank 2 and constant size read it in panels of columns
// as wide as the kernels' register tiles. Packing is a layout_transform of the weight, which lift-transform-params then
// moves to the weight transform.
#include "ops/ops.h"
#include "passes/loop/matmul_tile.h"
#include "passes/passes.h"
#include "passes/weights/weight_dependence.h"

namespace sunmao {
namespace {

class Packer final : public Rewriter {
 public:
  Packer(WeightDependence dependence, const PassContext& ctx) : dependence_(std::move(dependence)), ctx_(ctx) {}

 private:
  using Rewriter::visit;

  Expr visit(const Call& call) override {
    Expr e = Rewriter::visit(call);
    const Call* matmul = find_call(e, "matmul");
    if (!matmul || !is_packable(*matmul, call)) return e;
    const auto& w = *find<TensorType>(matmul->args[1]->type);
    int64_t n = *find_int((*w.dims())[1]);
    int64_t width = matmul_tile(ctx_.target, w.dtype).nr;
    const OpTable& ops = builtin_ops();
    Expr panels = emit(Call::make(ops.get("layout_transform"), {matmul->args[1]},
                                  Attrs(AttrMap{{"index_map", AttrValue(panel_map(width))}}), {}, call.span),
                       "packed_weight");
    const std::vector<Scalar>& x = *find<TensorType>(matmul->args[0]->type)->dims();
    bool flat = x.size() == 2;
    Expr rows = flat ? matmul->args[0] : reshape(matmul->args[0], {rows_of(x), x.back()}, call.span);
    Expr product = Call::make(ops.get("packed_matmul"), {rows, panels}, Attrs(AttrMap{{"n", n}}), {}, call.span);
    if (flat) return product;
    std::vector<Scalar> shape(x.begin(), x.end() - 1);
    shape.push_back(int_imm(n));
    return Call::make(ops.get("reshape"), {emit(product, "rows"), ShapeExpr::make(std::move(shape))}, {}, {},
                      call.span);
  }

  bool is_packable(const Call& matmul, const Call& original) const {
    const auto *x = find<TensorType>(matmul.args[0]->type), *w = find<TensorType>(matmul.args[1]->type);
    const auto* out = find<TensorType>(matmul.type);
    Ref<Var> weight = find_ref<Var>(original.args[1]);
    bool is_weight = weight && dependence_.weight_only.contains(weight);
    Ref<Var> left = find_ref<Var>(original.args[0]);
    bool left_is_weight = left && dependence_.weight_only.contains(left);
    if (!is_weight || left_is_weight || !x || !w || !out || !x->dims() || !w->dims() || x->rank < 2 || w->rank != 2)
      return false;
    bool same_dtype = x->dtype == DType::float_(32) && w->dtype == x->dtype && out->dtype == x->dtype;
    return same_dtype && find_int((*w->dims())[0]) && find_int((*w->dims())[1]) && *find_int((*w->dims())[1]) > 0;
  }

  static Ref<IndexMap> panel_map(int64_t width) {
    Ref<SymVar> k = SymVar::make("k"), n = SymVar::make("n");
    return IndexMap::make({k, n}, {floor_div(n, int_imm(width)), k, floor_mod(n, int_imm(width))});
  }

  static Scalar rows_of(const std::vector<Scalar>& x) {
    Scalar rows = x[0];
    for (size_t i = 1; i + 1 < x.size(); ++i) rows = rows * x[i];
    return Analyzer().simplify(rows);
  }

  Expr reshape(const Expr& x, std::vector<Scalar> shape, const Span& span) {
    return emit(Call::make(builtin_ops().get("reshape"), {x, ShapeExpr::make(std::move(shape))}, {}, {}, span), "rows");
  }

  const WeightDependence dependence_;
  const PassContext& ctx_;
};

}  // namespace

Module pack_weights(const Module& m, const PassContext& ctx) {
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : m.functions()) {
    Ref<Function> f = find_ref<Function>(Expr(e.func));
    std::optional<size_t> inputs = f ? num_input(*f, e.var->name) : std::nullopt;
    if (!inputs || *inputs == f->params.size()) continue;
    Ref<Function> packed = Packer(find_weight_dependence(*f, *inputs, m), ctx).rewrite(f);
    if (packed != f) changed.push_back({e.var, packed});
  }
  return changed.empty() ? m : m.with_functions(std::move(changed));
}

}  // namespace sunmao
