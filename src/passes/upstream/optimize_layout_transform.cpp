// The pass `optimize-layout-transform`: removes pairs of inverse layout transforms, also around a kernel that cuts off
// padding, and of transforms that are then equal all but the first.
#include "ops/ops.h"
#include "passes/analysis/forwarding_rewriter.h"
#include "passes/analysis/kernel_call.h"
#include "passes/analysis/reshape_pattern.h"
#include "passes/analysis/unused.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

const IndexMap* map_of(const Call* transform) {
  const auto* map = transform ? transform->attrs.find<Ref<IndexMap>>("index_map") : nullptr;
  return map ? map->get() : nullptr;
}

// True when `back` is provably the inverse of `there` on all indices of a tensor with dimensions `dims`.
bool come_back(const IndexMap& there, const IndexMap& back, const std::vector<Scalar>& dims) {
  if (there.inputs.size() != dims.size() || back.inputs.size() != there.outputs.size() ||
      back.outputs.size() != dims.size())
    return false;
  Analyzer analyzer;
  std::vector<Scalar> at;
  for (size_t i = 0; i < dims.size(); ++i) {
    Ref<SymVar> index = SymVar::make("i");
    const int64_t* size = find_int(dims[i]);
    analyzer.assume(index, {0, size ? std::max<int64_t>(0, *size - 1) : Interval::kMax});
    at.push_back(index);
  }
  const std::vector<Scalar> returned = back.apply(there.apply(at));
  for (size_t i = 0; i < dims.size(); ++i)
    if (!analyzer.can_prove_equal(returned[i], at[i])) return false;
  return true;
}

class LayoutTransformRemover final : public ForwardingRewriter {
 public:
  explicit LayoutTransformRemover(const Module& module) : module_(module) {}

 private:
  using ForwardingRewriter::visit;

  Expr visit(const Call& call) override {
    Expr visited = Rewriter::visit(call);
    const Call* back = find_call(visited, "layout_transform");
    const IndexMap* back_map = map_of(back);
    if (!back_map) return visited;
    const Expr cut = uncut(definition(back->args[0]));
    // The values of padding may be arbitrary only if the transform specifies no pad value.
    const AttrValue* pad = back->attrs.find("pad_value");
    if (cut && pad && !pad->is_none()) return visited;
    const Call* there = find_call(definition(cut ? cut : back->args[0]), "layout_transform");
    const IndexMap* there_map = map_of(there);
    if (!there_map) return visited;
    const Expr& source = there->args[0];
    const auto *from = find<TensorType>(source->type), *to = find<TensorType>(back->type);
    Analyzer analyzer;
    const bool is_same = from && from->dims() && to && fits(back->type, source->type, analyzer) == Fit::Yes;
    return is_same && come_back(*there_map, *back_map, *from->dims()) ? source : visited;
  }

  // Returns the value bound to a variable, following renames.
  Expr definition(Expr e) const {
    for (Expr value = value_of(e); value; value = value_of(e)) {
      if (!find<Var>(value)) return value;
      e = value;
    }
    return nullptr;
  }

  // Returns the tensor whose leading part the kernel copies; null when it does something else.
  Expr uncut(const Expr& value) const {
    const Call* call = find_call(value, "call_tir");
    const auto* callee = call ? find<GlobalVar>(call->args[0]) : nullptr;
    const auto* inputs = call ? find<Tuple>(call->args[1]) : nullptr;
    Ref<PrimFunc> func = callee ? module_.find_as<PrimFunc>(callee->name) : nullptr;
    const bool is_cut = func && inputs && inputs->fields.size() == 1 && copies_front(*func);
    return is_cut ? inputs->fields[0] : nullptr;
  }

  const Module& module_;
};

}  // namespace

Module optimize_layout_transform(const Module& m, const PassContext& ctx) {
  const Module changed =
      map_without_unused(m, [&](const Ref<Function>& f) { return LayoutTransformRemover(m).rewrite(f); });
  return changed.same_as(m) ? m : eliminate_common_subexpr(changed, ctx);
}

}  // namespace sunmao
