// Converters of products of matrices and vectors.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/shapes.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

constexpr PythonNumber kFactorOne{1, true};

/// x * W' + b. The transposition of the weight is a permute_dims, which weight preparation lifts.
Results linear_layer(const NodeContext& n) {
  Expr weight = n.tensor("weight");
  if (rank_of(weight) == 2) weight = permuted(n.builder, weight, {1, 0}, n.span);
  Expr product = n.call("matmul", {n.tensor("input"), weight});
  return n.has("bias") ? n.call("add", {product, n.tensor("bias")}) : product;
}

template <const char* left, const char* right>
Results product_of(const NodeContext& n) {
  return n.call("matmul", {n.tensor(left), n.tensor(right)});
}
constexpr char kSelf[] = "self", kOther[] = "other", kMat2[] = "mat2", kVec[] = "vec", kTensor[] = "tensor",
               kSparse[] = "sparse", kDense[] = "dense";

/// Returns beta * self + alpha * product; `self` does not count where beta is 0, though it be NaN.
Expr plus_self(const NodeContext& n, const Expr& product) {
  const double beta = n.number("beta", kFactorOne).value;
  Expr scaled_product = scaled(n.builder, product, n.number("alpha", kFactorOne).value, n.span);
  if (beta != 0) return n.call("add", {scaled(n.builder, n.tensor("self"), beta, n.span), scaled_product});
  const auto* recorded = find<TensorType>(n.recorded());
  return recorded && recorded->dims() ? broadcast(n.builder, scaled_product, *recorded->dims(), n.span)
                                      : scaled_product;
}
template <const char* left, const char* right>
Results add_product(const NodeContext& n) {
  return plus_self(n, n.call("matmul", {n.tensor(left), n.tensor(right)}));
}
constexpr char kMat[] = "mat", kMat1[] = "mat1", kBatch1[] = "batch1", kBatch2[] = "batch2";

/// Converts to self + the sum of the products of all batches.
Results addbmm(const NodeContext& n) {
  Expr products = n.call("matmul", {n.tensor("batch1"), n.tensor("batch2")});
  return plus_self(n, n.call("sum", {products}, {{"axis", AttrValue::ints({0})}}));
}

Expr outer_of(const NodeContext& n, const Expr& x, const Expr& y) {
  return n.call("multiply", {with_axes(n.builder, x, {1}, n.span), with_axes(n.builder, y, {0}, n.span)});
}
Results outer(const NodeContext& n) {
  std::vector<Expr> x = promoted(n, {"self", n.has("vec2") ? "vec2" : "other"});
  return outer_of(n, x[0], x[1]);
}
Results addr(const NodeContext& n) { return plus_self(n, outer_of(n, n.tensor("vec1"), n.tensor("vec2"))); }

/// Contracts the last axes of both.
Results inner(const NodeContext& n) {
  Expr x = n.tensor("self"), y = n.tensor("other");
  if (rank_of(x) == 0 || rank_of(y) == 0) return n.call("multiply", {x, y});
  if (rank_of(y) > 2) throw UnsupportedUse{"with a right side of rank 3 or more"};
  return n.call("matmul", {x, rank_of(y) == 2 ? permuted(n.builder, y, {1, 0}, n.span) : y});
}

/// Products of int8 matrices are int32.
Results int_product(const NodeContext& n) {
  return n.call("matmul", {n.tensor("self"), n.tensor("mat2")}, {{"out_dtype", DType::int_(32)}});
}

/// Returns `x` as a matrix whose rows are the axes `rows` and whose columns are the axes `columns`.
Expr as_matrix(const NodeContext& n, Expr x, std::vector<int64_t> rows, const std::vector<int64_t>& columns) {
  const std::vector<Scalar> dims = n.dims(x);
  auto size_of = [&](const std::vector<int64_t>& axes) {
    Scalar size = int_imm(1);
    for (int64_t axis : axes) size = n.builder.simplify(size * dims[static_cast<size_t>(axis)]);
    return size;
  };
  const std::vector<Scalar> shape{size_of(rows), size_of(columns)};
  rows.insert(rows.end(), columns.begin(), columns.end());
  return reshaped(n.builder, permuted(n.builder, x, rows, n.span), shape, n.span);
}

struct Contraction {
  std::vector<int64_t> contracted, rest;
  std::vector<Scalar> rest_dims;
};
Contraction contraction(const NodeContext& n, const Expr& x, std::string_view argument) {
  Contraction c;
  const int64_t rank = n.rank(x);
  for (int64_t axis : n.integers(argument).value_or(std::vector<int64_t>()))
    c.contracted.push_back(from_front(axis, rank, "E0704", n.span));
  for (int64_t i = 0; i < rank; ++i)
    if (std::ranges::find(c.contracted, i) == c.contracted.end()) {
      c.rest.push_back(i);
      c.rest_dims.push_back(n.dims(x).at(static_cast<size_t>(i)));
    }
  return c;
}
Results tensordot(const NodeContext& n) {
  Expr x = n.tensor("self"), y = n.tensor("other");
  Contraction left = contraction(n, x, "dims_self"), right = contraction(n, y, "dims_other");
  Expr product =
      n.call("matmul", {as_matrix(n, x, left.rest, left.contracted), as_matrix(n, y, right.contracted, right.rest)});
  std::vector<Scalar> shape = left.rest_dims;
  shape.insert(shape.end(), right.rest_dims.begin(), right.rest_dims.end());
  return reshaped(n.builder, product, shape, n.span);
}

/// Converts the Kronecker product: a product of axes of one factor with axes of the other in between.
Results kron(const NodeContext& n) {
  std::vector<Expr> x = promoted(n, {"self", "other"});
  std::vector<Scalar> first = n.dims(x[0]), second = n.dims(x[1]), shape;
  while (first.size() < second.size()) first.insert(first.begin(), int_imm(1));
  while (second.size() < first.size()) second.insert(second.begin(), int_imm(1));
  std::vector<Scalar> first_spaced, second_spaced;
  for (size_t i = 0; i < first.size(); ++i) {
    first_spaced.insert(first_spaced.end(), {first[i], int_imm(1)});
    second_spaced.insert(second_spaced.end(), {int_imm(1), second[i]});
    shape.push_back(n.builder.simplify(first[i] * second[i]));
  }
  Expr product = n.call(
      "multiply", {reshaped(n.builder, x[0], first_spaced, n.span), reshaped(n.builder, x[1], second_spaced, n.span)});
  return reshaped(n.builder, product, shape, n.span);
}

/// Converts x1 W x2 for each matrix W of the weight (out, in1, in2).
Results bilinear(const NodeContext& n) {
  Expr x1 = n.tensor("input1"), x2 = n.tensor("input2");
  const std::vector<Scalar> weight = n.dims(n.tensor("weight"));
  if (n.rank(x1) < 1) n.malformed("input1");
  const int64_t last = n.rank(x1) - 1;
  Expr left = with_axes(n.builder, x1, {last, last + 1}, n.span);                           // (…, 1, 1, in1)
  Expr right = with_axes(n.builder, x2, {last, last + 2}, n.span);                          // (…, 1, in2, 1)
  Expr products = n.call("matmul", {n.call("matmul", {left, n.tensor("weight")}), right});  // (…, out, 1, 1)
  products = without_axes(n.builder, products, {-2, -1}, n.span);
  return n.has("bias") ? n.call("add", {products, n.tensor("bias")}) : products;
}

/// Multiplies three tensors, which get axes of size 1 at the places `expand1` and so on, and adds up along `sumdim`.
Results trilinear(const NodeContext& n) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  const auto axes_of = [&](std::string_view name) { return n.integers(name).value_or(std::vector<int64_t>()); };
  const auto has = [](const std::vector<int64_t>& axes, int64_t axis) {
    return std::ranges::find(axes, axis) != axes.end();
  };
  const std::vector<int64_t> sums = axes_of("sumdim");
  std::vector<Expr> operands;
  std::string subscripts, present;
  size_t rank = 0;
  for (const char* number : {"1", "2", "3"}) {
    operands.push_back(n.tensor(fmt::format("i{}", number)));
    const std::vector<int64_t> added = axes_of(fmt::format("expand{}", number));
    rank = n.dims(operands.back()).size() + added.size();
    if (rank > kLetters.size()) n.malformed("expand1");
    if (operands.size() > 1) subscripts += ",";
    for (size_t i = 0; i < rank; ++i)
      if (!has(added, static_cast<int64_t>(i))) subscripts += kLetters[i], present += kLetters[i];
  }
  std::string result;
  for (size_t i = 0; i < rank; ++i) {
    if (has(sums, static_cast<int64_t>(i))) continue;
    if (present.find(kLetters[i]) == std::string::npos) throw UnsupportedUse{"with an axis that no tensor has"};
    result += kLetters[i];
  }
  return n.call("einsum", {Tuple::make(std::move(operands))}, {{"subscripts", subscripts + "->" + result}});
}

/// Multiplies matrices of floats of 8 bits, each with a scale of its own, or one for each row and column.
Results scaled_product(const NodeContext& n) {
  const DType wide = DType::float_(32), out = n.dtype("out_dtype").value_or(n.recorded_dtype());
  const auto in_float = [&](std::string_view name) { return converted(n.builder, n.tensor(name), wide, n.span); };
  const Expr a = in_float("self"), b = in_float("mat2");
  const auto scale = [&](const char* name, const Scalar& count, size_t axis) {
    Expr x = in_float(name);
    const std::vector<Scalar>& dims = n.dims(x);
    const bool is_one = std::ranges::all_of(dims, [](const Scalar& d) { return find_int(d) && *find_int(d) == 1; });
    if (is_one) return reshaped(n.builder, x, {}, n.span);
    const bool is_each = dims.size() == 2 && n.builder.can_prove(Binary::make(BinaryOp::Eq, dims[axis], count)) &&
                         n.builder.can_prove(Binary::make(BinaryOp::Eq, dims[1 - axis], int_imm(1)));
    if (!is_each) throw UnsupportedUse{"with scales of blocks"};
    return x;
  };
  Expr product = n.call("multiply", {n.call("matmul", {a, b}), scale("scale_a", n.dims(a).at(0), 0)});
  product = n.call("multiply", {product, scale("scale_b", n.dims(b).at(1), 1)});
  if (n.has("bias")) product = n.call("add", {product, in_float("bias")});
  if (n.has("scale_result") && out.bits == 8)
    product = n.call("multiply", {product, reshaped(n.builder, in_float("scale_result"), {}, n.span)});
  return converted(n.builder, product, out, n.span);
}

/// Multiplies the rows of each group, which end at `offs`, by a matrix of their own: all products, of which one is
/// chosen.
Results grouped_product(const NodeContext& n) {
  Expr x = n.tensor("input"), weight = n.tensor("weight"), ends = n.tensor("offs");
  const Scalar rows = n.dims(x).at(0), columns = n.dims(weight).at(2);
  const DType t = dtype_of(ends);
  Expr row =
      n.call("arange", {scalar_operand(int_imm(0)), scalar_operand(rows), scalar_operand(int_imm(1))}, {{"dtype", t}});
  Expr group = n.call("bucketize", {row, ends}, {{"right", true}});
  group = broadcast(n.builder, with_axes(n.builder, group, {0, 2}, n.span), {int_imm(1), rows, columns}, n.span);
  Expr products = n.call("matmul", {with_axes(n.builder, x, {0}, n.span), weight});
  return without_axes(n.builder, n.call("gather_elements", {products, group}, {{"axis", 0}}), {0}, n.span);
}

Results matrix_power(const NodeContext& n) {
  Expr x = n.tensor("self");
  int64_t power = n.integer("n");
  if (power < 0) x = n.call("linalg.inverse", {x}), power = -power;
  if (power > 64) throw UnsupportedUse{"to a power of more than 64"};
  if (power == 0) {
    const Expr size = scalar_operand(n.dims(x).at(n.dims(x).size() - 1));
    const Expr one = n.call("eye", {size, size, scalar_operand(int_imm(0))}, {{"dtype", dtype_of(x)}});
    return broadcast(n.builder, one, n.dims(x), n.span);
  }
  Expr result;
  for (Expr square = x; power > 0; power /= 2) {
    if (power % 2 == 1) result = result ? n.call("matmul", {result, square}) : square;
    if (power > 1) square = n.call("matmul", {square, square});
  }
  return result;
}

}  // namespace

std::vector<Converter> matmul_converters() {
  const char *matmul = "`R.matmul`", *and_add = "`R.add` and `R.matmul`";
  std::vector<Converter> rows{
      {"aten.linear.default", linear_layer, "`R.matmul` of `R.permute_dims`, and `R.add`"},
      {"aten.mm.default", product_of<kSelf, kMat2>, matmul},
      {"aten.bmm.default", product_of<kSelf, kMat2>, matmul},
      {"aten.matmul.default", product_of<kSelf, kOther>, matmul},
      {"aten.linalg_matmul.default", product_of<kSelf, kOther>, matmul},
      {"aten.mv.default", product_of<kSelf, kVec>, matmul},
      {"aten.dot.default", product_of<kSelf, kTensor>, matmul},
      {"aten.vdot.default", product_of<kSelf, kOther>, matmul},
      {"aten.inner.default", inner, matmul},
      {"aten._int_mm.default", int_product, matmul},
      {"aten._sparse_mm.default", product_of<kSparse, kDense>, matmul},
      {"aten._sparse_addmm.default", add_product<kMat1, kMat2>, and_add},
      {"aten.addbmm.default", addbmm, "`R.add` and `R.sum` of `R.matmul`"},
      {"aten.outer.default", outer, "`R.multiply`"},
      {"aten.ger.default", outer, "`R.multiply`"},
      {"aten.addr.default", addr, "`R.add` and `R.multiply`"},
      {"aten.tensordot.default", tensordot, "`R.matmul` of `R.reshape` and `R.permute_dims`"},
      {"aten.kron.default", kron, "`R.multiply` of `R.reshape`"},
      {"aten.bilinear.default", bilinear, matmul},
      {"aten._trilinear.default", trilinear, "`R.einsum`"},
      {"aten._scaled_mm.default", scaled_product, "`R.matmul` of `R.astype`, and `R.multiply`", "scales of blocks"},
      {"transformers.grouped_mm_fallback.default", grouped_product, "`R.gather_elements` of `R.matmul`"},
      {"aten.matrix_power.default", matrix_power, matmul, "powers of -64 to 64"},
      {"aten.linalg_matrix_power.default", matrix_power, matmul, "powers of -64 to 64"}};
  add_pair<add_product<kMat1, kMat2>>(rows, "aten.addmm.default", "aten.addmm_.default", and_add);
  add_pair<add_product<kMat, kVec>>(rows, "aten.addmv.default", "aten.addmv_.default", and_add);
  add_pair<add_product<kBatch1, kBatch2>>(rows, "aten.baddbmm.default", "aten.baddbmm_.default", and_add);
  return rows;
}

}  // namespace sunmao::torch
