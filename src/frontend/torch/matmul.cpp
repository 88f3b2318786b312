// Converters of linear, mm, bmm, matmul, addmm.
#include "frontend/shapes.h"
#include "frontend/torch/node_context.h"

namespace sunmao::torch {
namespace {

/// x * W' + b. The transposition of the weight is a permute_dims, which weight preparation lifts.
Expr linear(const NodeContext& n) {
  Expr weight = n.tensor("weight");
  if (rank_of(weight) != 2) throw UnsupportedUse{"with a weight that is no matrix"};
  Expr transposed = n.call("permute_dims", {weight}, {{"axes", AttrValue::ints({1, 0})}});
  Expr product = n.call("matmul", {n.tensor("input"), transposed});
  return n.has("bias") ? n.call("add", {product, n.tensor("bias")}) : product;
}

Expr matmul(const NodeContext& n) {
  return n.call("matmul", {n.tensor("self"), n.tensor(n.has("other") ? "other" : "mat2")});
}

Expr addmm(const NodeContext& n) {
  Expr product = n.call("matmul", {n.tensor("mat1"), n.tensor("mat2")});
  product = scaled(n.builder, product, n.number("alpha").value, n.span);
  return n.call("add", {product, scaled(n.builder, n.tensor("self"), n.number("beta").value, n.span)});
}

}  // namespace

std::vector<Converter> matmul_converters() {
  return {{"aten.linear.default", linear, {"permute_dims", "matmul", "add"}},
          {"aten.mm.default", matmul, {"matmul"}},
          {"aten.bmm.default", matmul, {"matmul"}},
          {"aten.matmul.default", matmul, {"matmul"}},
          {"aten.addmm.default", addmm, {"matmul", "multiply", "add"}, {{"alpha", 1}, {"beta", 1}}}};
}

}  // namespace sunmao::torch
