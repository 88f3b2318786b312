// The pass `lower-alloc-tensor`: splits tensor allocations into a storage allocation and a tensor in it.
#include "ir/dims.h"
#include "ir/walk.h"
#include "ops/ops.h"
#include "passes/passes.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

class AllocTensorLowerer final : public Rewriter {
  using Rewriter::visit;

  Expr visit(const Call& call) override {
    Expr visited = Rewriter::visit(call);
    const Call* alloc = find_call(visited, "builtin.alloc_tensor");
    const auto* type = alloc ? find<TensorType>(alloc->type) : nullptr;
    if (!type) return visited;
    if (!type->dims() || type->is_unknown_dtype())
      fail("E0314", call.span,
           fmt::format("lower-alloc-tensor: how much memory {} takes is not known", describe(alloc->type)),
           "state its shape and dtype");
    Analyzer analyzer;
    const Scalar bytes = analyzer.simplify(byte_size(*type->dims(), type->dtype));
    const bool has_scope = alloc->args.size() > 3;
    Expr scope = has_scope ? alloc->args[3] : StringLiteral::make("global");
    Expr storage =
        emit(make("memory.alloc_storage",
                  {ShapeExpr::make({bytes}), alloc->args[2], scope, DTypeLiteral::make(DType::uint(8))}, call.span),
             "storage");
    return make("memory.alloc_tensor", {storage, PrimValue::make(int_imm(0)), alloc->args[0], alloc->args[1]},
                call.span);
  }

  static Expr make(const char* op, std::vector<Expr> args, const Span& span) {
    return Call::make(builtin_ops().get(op), std::move(args), {}, {}, span);
  }
};

}  // namespace

Module lower_alloc_tensor(const Module& m, const PassContext&) {
  return map_functions(m, [](const Ref<Function>& f) { return AllocTensorLowerer().rewrite(f); });
}

}  // namespace sunmao
