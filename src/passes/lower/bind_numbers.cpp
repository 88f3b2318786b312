// The pass `bind-numbers`: kernels that are called with fractions known now become kernels with these numbers. Bytecode
// passes kernels tensors and integers.
#include "ir/builder.h"
#include "passes/analysis/kernel_call.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

class NumberBinder final : public Rewriter {
 public:
  explicit NumberBinder(const Module& m) : module_(m), functions_(m) {}

  Module run() {
    const Module rewritten = map_functions(module_, [this](const Ref<Function>& f) { return rewrite(f); });
    return rewritten.same_as(module_) ? module_ : with_new_functions(rewritten, functions_.module());
  }

 private:
  using Rewriter::visit;

  void visit(const Binding& b) override {
    const std::optional<KernelCall> call = b.is_match_cast() ? std::nullopt : find_kernel_call(b.value, module_);
    if (!call || !takes_fraction(*call)) return Rewriter::visit(b);
    const Ref<PrimFunc> own = instantiate(*call);
    const Ref<PrimFunc> kernel =
        with_scalars(own->params, scalar_symbols(*call), own->body, own->attrs.without("global_symbol"));
    std::vector<Expr> tensors;
    for (const Expr& input : call->inputs) tensors.push_back(visit(input));
    bind(b, call_kernel(functions_, call->callee->name, kernel, std::move(tensors), b.value->type, b.value->span));
  }

  static bool takes_fraction(const KernelCall& call) {
    return std::ranges::any_of(call.func->params,
                               [&](const PrimParam& p) { return !p.buffer && find<FloatImm>(call.symbols.at(p.var)); });
  }

  const Module& module_;
  BlockBuilder functions_;
};

}  // namespace

Module bind_numbers(const Module& m, const PassContext&) { return NumberBinder(m).run(); }

}  // namespace sunmao
