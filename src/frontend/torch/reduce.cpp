// Converters of sum, mean.
#include "frontend/torch/node_context.h"
#include "frontend/torch/tensors.h"

namespace sunmao::torch {
namespace {

Expr reduce(const NodeContext& n, const char* op) {
  Expr x = n.tensor("self");
  if (auto type = n.scalar_type("dtype"); type && dtype_of_scalar_type(*type) != dtype_of(x))
    throw UnsupportedUse{"with another dtype than the tensor's"};
  AttrMap attrs;
  if (auto axes = n.integers("dim"); axes && !axes->empty())
    attrs["axis"] = AttrValue::ints(*axes);  // none: reduces all axes
  if (n.boolean("keepdim")) attrs["keepdims"] = true;
  return n.call(op, {x}, std::move(attrs));
}

Expr sum(const NodeContext& n) {
  if (!dtype_of(n.tensor("self")).is_float() && dtype_of(n.tensor("self")) != DType::int_(64))
    throw UnsupportedUse{"of integers, which makes int64 of them"};
  return reduce(n, "sum");
}
Expr mean(const NodeContext& n) { return reduce(n, "mean"); }

}  // namespace

std::vector<Converter> reduce_converters() {
  const AttrMap defaults{{"keepdim", false}};
  return {{"aten.sum.dim_IntList", sum, {"sum"}, defaults},
          {"aten.sum.default", sum, {"sum"}, defaults},
          {"aten.mean.dim", mean, {"mean"}, defaults},
          {"aten.mean.default", mean, {"mean"}, defaults}};
}

}  // namespace sunmao::torch
