// Converters of MatMul, Gemm.
#include "frontend/onnx/node_context.h"
#include "frontend/shapes.h"

namespace sunmao::onnx {
namespace {

Value matmul(const NodeContext& n) { return of_expr(n.call("matmul", {n.tensor(0), n.tensor(1)})); }

Expr matrix(const NodeContext& n, size_t input, std::string_view transposed) {
  Expr x = n.tensor(input);
  if (rank_of(x) != 2) n.fail(fmt::format("input {} must be a matrix, got {}", input, sunmao::describe(x->type)));
  if (n.int_attr(transposed, 0) == 0) return x;
  return n.call("permute_dims", {x}, {{"axes", AttrValue::ints({1, 0})}});
}

/// alpha * A' * B' + beta * C. A transposed weight becomes a permute_dims, which weight preparation lifts.
Value gemm(const NodeContext& n) {
  Expr product = n.call("matmul", {matrix(n, 0, "transA"), matrix(n, 1, "transB")});
  product = scaled(n.builder, product, n.float_attr("alpha", 1.0f), n.span);
  const float beta = n.float_attr("beta", 1.0f);
  if (!n.has_input(2) || beta == 0.0f) return of_expr(product);
  return of_expr(n.call("add", {product, scaled(n.builder, n.tensor(2), beta, n.span)}));
}

}  // namespace

std::vector<Converter> matmul_converters() {
  return {{"MatMul", 1, matmul, {"matmul"}},
          // Before opset 11, C was a required input of Gemm; the arithmetic is unchanged since opset 7.
          {"Gemm", 7, gemm, {"matmul", "permute_dims", "multiply", "add"}}};
}

}  // namespace sunmao::onnx
