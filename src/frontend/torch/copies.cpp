// Converters of copies, aliases and dropout in inference, which become their input, and of conversions of dtype.
#include "frontend/torch/node_context.h"
#include "frontend/torch/tensors.h"

namespace sunmao::torch {
namespace {

Expr same(const NodeContext& n) { return n.tensor("self"); }

Expr dropout(const NodeContext& n) {
  if (n.boolean("train")) throw UnsupportedUse{"in training mode: call model.eval() before the export"};
  return n.tensor("input");
}

Expr to_dtype(const NodeContext& n) {
  Expr x = n.tensor("self");
  auto type = n.scalar_type("dtype");
  if (!type || dtype_of_scalar_type(*type) == dtype_of(x)) return x;
  const DType to = dtype_of_scalar_type(*type);
  if (to.is_void() || !n.builder.ops().find("astype")) throw UnsupportedUse{"to another dtype"};
  return n.call("astype", {x}, {{"dtype", to}});
}

}  // namespace

std::vector<Converter> copy_converters() {
  std::vector<Converter> out{
      {"aten.dropout.default", dropout, {}}, {"aten.to.dtype", to_dtype, {}}, {"aten._to_copy.default", to_dtype, {}}};
  for (const char* target : {"aten.detach.default", "aten.detach_.default", "aten.alias.default", "aten.clone.default",
                             "aten.contiguous.default", "aten.lift_fresh_copy.default", "aten.lift_fresh.default"})
    out.push_back({target, same, {}});
  return out;
}

}  // namespace sunmao::torch
