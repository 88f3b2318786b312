// Converters of products of matrices: MatMul, Gemm, Einsum, Det.
#include <algorithm>

#include "frontend/onnx/compose.h"

namespace sunmao::onnx {
namespace {

Results matmul(const NodeContext& n) { return matrix_product(n, n.tensor(0), n.tensor(1)); }

Expr matrix(const NodeContext& n, size_t input, std::string_view transposed) {
  Expr x = n.tensor(input);
  if (rank_of(x) != 2) n.fail(fmt::format("input {} must be a matrix, got {}", input, sunmao::describe(x->type)));
  return n.int_attr(transposed, 0) == 0 ? x : permuted(n.builder, x, {1, 0}, n.span);
}

/// alpha * A' * B' + beta * C. A transposed weight becomes a permute_dims, which weight preparation lifts.
Results gemm(const NodeContext& n) {
  Expr product = binary(n, "matmul", matrix(n, 0, "transA"), matrix(n, 1, "transB"));
  product = scaled(n.builder, product, n.float_attr("alpha", 1), n.span);
  const double beta = n.float_attr("beta", 1);
  if (!n.has_input(2) || beta == 0) return product;
  return binary(n, "add", product, scaled(n.builder, n.tensor(2), beta, n.span));
}

Results einsum(const NodeContext& n) {
  std::string equation = n.string_attr("equation", "");
  std::erase(equation, ' ');
  std::vector<Expr> operands;
  for (size_t i = 0; i < n.input_count(); ++i) operands.push_back(n.tensor(i));
  return n.call("einsum", {tuple_of(n, std::move(operands))}, {{"subscripts", equation}});
}

Results det(const NodeContext& n) { return n.call("linalg.det", {n.tensor(0)}); }

}  // namespace

std::vector<Converter> matmul_converters() {
  return {{"MatMul", 1, matmul, "`R.matmul`"},
          // Before opset 11, C was a required input of Gemm; the arithmetic is unchanged since opset 7.
          {"Gemm", 7, gemm, "`R.matmul`, `R.permute_dims`, `R.multiply`, `R.add`"},
          {"Einsum", 12, einsum, "`R.einsum`"},
          {"Det", 11, det, "`R.linalg.det`"}};
}

}  // namespace sunmao::onnx
