#include "frontend/torch/out_dtypes.h"

#include <unordered_set>

#include "ir/walk.h"

namespace sunmao::torch {
namespace {

bool is_product(const Op& op) {
  static const std::unordered_set<std::string> names = {"matmul",
                                                        "nn.conv1d",
                                                        "nn.conv2d",
                                                        "nn.conv3d",
                                                        "nn.conv1d_transpose",
                                                        "nn.conv2d_transpose",
                                                        "nn.conv3d_transpose"};
  return names.contains(op.name());
}

class Stater final : public Rewriter {
  using Rewriter::visit;

  Expr visit(const Call& call) override {
    const Expr e = Rewriter::visit(call);
    const Call& c = *find<Call>(e);
    const auto* op = find<Op>(c.callee);
    const auto* type = find<TensorType>(c.type);
    const auto* stated = c.attrs.find<DType>("out_dtype");
    if (!op || !is_product(*op) || !type || type->dtype != DType::float_(32) || (stated && !stated->is_void()))
      return e;
    return Call::make(c.callee, c.args, c.attrs.with("out_dtype", type->dtype), c.type_args, c.span);
  }
};

}  // namespace

Module with_stated_out_dtypes(const Module& module) {
  return map_functions(module, [](const Ref<Function>& f) { return Stater().rewrite(f); });
}

}  // namespace sunmao::torch
