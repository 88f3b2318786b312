// The pass `attach-attr-layout-free-buffers`: records in each kernel which parameters are weights or constants, whose
// layout may be chosen freely.
#include <set>

#include "ir/builder.h"
#include "loop/prim_func.h"
#include "passes/analysis/variables.h"
#include "passes/layout/layout_marks.h"
#include "passes/passes.h"
#include "passes/weights/weight_params.h"

namespace sunmao {
namespace {

class Attacher final : public Rewriter {
 public:
  explicit Attacher(const Module& module) : builder_(module) {}

  Ref<Function> run(const Ref<Function>& f, const std::string& name) {
    weights_ = weight_params(*f, name);
    return rewrite(f);
  }

  /// Returns the module with the changed kernels added. Private kernels that they replace are removed when nothing
  /// refers to them any more.
  Module finish(std::vector<FunctionEntry> changed) const {
    Module out = builder_.module().with_functions(std::move(changed));
    std::unordered_set<std::string> called;
    for (const FunctionEntry& e : out.functions())
      for (const Ref<GlobalVar>& g : all_global_vars(Expr(e.func))) called.insert(g->name);
    for (const std::string& name : replaced_)
      if (!called.contains(name) && !out.find(name)->attrs.has("global_symbol")) out = out.without_function(name);
    return out;
  }

 private:
  using Rewriter::visit;

  Expr visit(const Call& call) override {
    Expr e = Rewriter::visit(call);
    const Call& c = *find<Call>(e);
    const auto* callee = find_call(e, "call_tir") ? find<GlobalVar>(c.args[0]) : nullptr;
    const Ref<PrimFunc> kernel = callee ? builder_.module().find_as<PrimFunc>(callee->name) : nullptr;
    const auto* tensors = kernel ? find<Tuple>(c.args[1]) : nullptr;
    if (!tensors) return e;
    const std::vector<int64_t> places = free_places(tensors->fields, weights_);
    const AttrValue* known = kernel->attrs.find(kFreeBuffersAttr);
    if (places.empty() || (known && known->as_ints() == places)) return e;
    std::vector<Expr> args = c.args;
    args[0] = builder_.add_function(callee->name,
                                    kernel->with_attrs(kernel->attrs.with(kFreeBuffersAttr, AttrValue::ints(places))));
    replaced_.insert(callee->name);
    return Call::make_typed(c.callee, std::move(args), c.attrs, c.type_args, c.type, c.span);
  }

  BlockBuilder builder_;
  std::unordered_set<Ref<Var>> weights_;
  std::set<std::string> replaced_;
};

}  // namespace

Module attach_attr_layout_free_buffers(const Module& m, const PassContext&) {
  Attacher attacher(m);
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : m.functions()) {
    const Ref<Function> f = find_ref<Function>(Expr(e.func));
    const Ref<Function> attached = f ? attacher.run(f, e.var->name) : nullptr;
    if (attached != f) changed.push_back({e.var, attached});
  }
  return changed.empty() ? m : attacher.finish(std::move(changed));
}

}  // namespace sunmao
