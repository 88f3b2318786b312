// The pass `choose-weight-layouts`: kernels read their weights in the layouts that suit their families. A statement at
// the beginning of the kernel stores a weight in its layout; `split-layout-rewrite` makes that a kernel of its own,
// which lift-transform-params takes out of the function.
#include "ir/builder.h"
#include "loop/builder.h"
#include "passes/analysis/kernel_call.h"
#include "passes/layout/layout_marks.h"
#include "passes/layout/read_elsewhere.h"
#include "passes/loop/kernel_forms.h"
#include "passes/loop/store_nest.h"
#include "passes/passes.h"
#include "passes/schedule/contraction/panels.h"
#include "passes/schedule/inline_elementwise.h"
#include "passes/weights/weight_params.h"

namespace sunmao {
namespace {

/// Returns the statement that stores a weight in its layout, marked for split-layout-rewrite.
Stmt stored(const Ref<Buffer>& weight, const Ref<Buffer>& after, const WeightLayout& layout) {
  KernelBuilder k("weight");
  k.relayout(weight, after, layout.place);
  const Ref<PrimFunc> built = std::move(k).finish();
  return read_root(*built)->stmts.at(0);
}

/// Returns the kernel itself when it wants none of its tensors in another layout.
Ref<PrimFunc> with_layouts(const Ref<PrimFunc>& kernel, const std::vector<int64_t>& free) {
  Ref<PrimFunc> out = kernel;
  const Ref<PrimFunc> inlined = free.empty() ? kernel : inline_elementwise(kernel);
  for (int64_t place : free) {
    const Ref<Buffer> weight = kernel->params.at(static_cast<size_t>(place)).buffer;
    const std::optional<WeightLayout> layout = weight ? wanted_layout(*inlined, *weight) : std::nullopt;
    std::optional<RootBody> root = layout ? read_root(*out) : std::nullopt;
    if (!root) continue;
    const Ref<Buffer> after = Buffer::make(weight->name + "_panels", weight->dtype, layout->shape);
    for (Stmt& s : root->stmts) s = read_elsewhere(s, *weight, after, layout->place);
    root->stmts.insert(root->stmts.begin(), stored(weight, after, *layout));
    root->temps.push_back(after);
    out = with_root(out, *root);
  }
  return out;
}

class Chooser final : public Rewriter {
 public:
  explicit Chooser(const Module& module) : builder_(module) {}

  Ref<Function> run(const Ref<Function>& f, std::unordered_set<Ref<Var>> weights) {
    weights_ = std::move(weights);
    return rewrite(f);
  }
  const Module& module() const { return builder_.module(); }

 private:
  using Rewriter::visit;

  Expr visit(const Call& call) override {
    Expr e = Rewriter::visit(call);
    const Call* c = find_call(e, "call_tir");
    const auto* callee = c ? find<GlobalVar>(c->args[0]) : nullptr;
    const Ref<PrimFunc> kernel = callee ? builder_.module().find_as<PrimFunc>(callee->name) : nullptr;
    const auto* tensors = kernel ? find<Tuple>(c->args[1]) : nullptr;
    if (!tensors) return e;
    std::vector<int64_t> places = free_places(tensors->fields, weights_);
    std::erase_if(places, [&](int64_t place) { return find<Constant>(tensors->fields[static_cast<size_t>(place)]); });
    const Ref<PrimFunc> chosen = with_layouts(kernel, places);
    if (chosen == kernel) return e;
    std::vector<Expr> args = c->args;
    args[0] = builder_.add_function(callee->name, chosen);
    return Call::make_typed(c->callee, std::move(args), c->attrs, c->type_args, c->type, c->span);
  }

  BlockBuilder builder_;
  std::unordered_set<Ref<Var>> weights_;
};

}  // namespace

Module choose_weight_layouts(const Module& m, const PassContext&) {
  Chooser chooser(m);
  std::vector<FunctionEntry> changed;
  for (auto& [name, weights] : find_weights(m)) {
    const Ref<Function> f = m.find_as<Function>(name);
    const Ref<Function> chosen = chooser.run(f, std::move(weights));
    if (chosen != f) changed.push_back({m.find_var(name), chosen});
  }
  if (changed.empty()) return m;
  return eliminate_dead_code(chooser.module().with_functions(std::move(changed)), PassContext{});
}

}  // namespace sunmao
