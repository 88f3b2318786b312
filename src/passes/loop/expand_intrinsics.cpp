#include "passes/loop/expand_intrinsics.h"

#include "loop/intrinsics/table.h"
#include "loop/walk.h"
#include "passes/loop/kernel_forms.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

class IntrinsicExpander final : public StmtRewriter {
 public:
  explicit IntrinsicExpander(bool has_fma) : has_fma_(has_fma) {}

  Scalar visit_scalar(const Scalar& s) override {
    if (!s) return s;
    return rewrite(s, [&](const Scalar& node) -> Scalar {
      const auto* call = find<ScalarCall>(node);
      return call ? expand_intrinsic(*call, has_fma_) : nullptr;
    });
  }

 private:
  const bool has_fma_;
};

}  // namespace

Ref<PrimFunc> expand_intrinsics(const Ref<PrimFunc>& func, const Target& target) {
  return func->with_body(IntrinsicExpander(target.isa.has(Instruction::FusedMultiplyAdd)).visit(func->body));
}

Module expand_intrinsics(const Module& m, const PassContext& ctx) {
  return map_forms(m, ctx, [](const Ref<PrimFunc>& f, const Target& target) { return expand_intrinsics(f, target); });
}

}  // namespace sunmao
