// The pass `fuse-transpose-matmul`: replaces matmuls with a transposed right operand by kernels that read it
// untransposed.
#include "ops/matmul_kernel.h"

#include "passes/analysis/kernel_call.h"
#include "passes/analysis/unused.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

class Fuser final : public Rewriter {
 public:
  explicit Fuser(BlockBuilder& functions) : functions_(functions) {}

 private:
  using Rewriter::visit;

  Expr visit(const Call& call) override {
    Expr visited = Rewriter::visit(call);
    const Call* matmul = find_call(visited, "matmul");
    const Call* permute = matmul ? find_call(value_of(matmul->args[1]), "permute_dims") : nullptr;
    if (!permute || !swaps_last_two(*permute)) return visited;
    const Expr &left = matmul->args[0], &right = permute->args[0];
    for (const Type& type : {left->type, right->type, matmul->type}) {
      const auto* tensor = find<TensorType>(type);
      if (!tensor || !tensor->dims() || tensor->is_unknown_dtype()) return visited;
    }
    Ref<BaseFunc> kernel = matmul_kernel(left->type, right->type, matmul->type, RightOperand::Transposed);
    kernel = kernel->with_attrs(kernel->attrs.with("s_tir", true));
    return call_kernel(functions_, "NT_matmul", find_ref<PrimFunc>(Expr(kernel)), {left, right}, matmul->type,
                       matmul->span);
  }

  BlockBuilder& functions_;
};

}  // namespace

Module fuse_transpose_matmul(const Module& m, const PassContext&) {
  BlockBuilder functions(m);
  std::vector<FunctionEntry> changed;
  for (const FunctionEntry& e : m.functions()) {
    Ref<Function> f = find_ref<Function>(Expr(e.func));
    Ref<Function> fused = f ? Fuser(functions).rewrite(f) : f;
    if (fused != f) changed.push_back({e.var, find_ref<Function>(remove_all_unused(Expr(fused), &m))});
  }
  return changed.empty() ? m : functions.module().with_functions(std::move(changed));
}

}  // namespace sunmao
