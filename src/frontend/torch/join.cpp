// Converters of ops that join several tensors.
#include <algorithm>

#include "frontend/shapes.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

/// Returns the tensors of a list in the dtype that all have in common.
std::vector<Expr> listed(const NodeContext& n) {
  std::vector<Expr> out = n.tensors("tensors");
  std::vector<Operand> operands;
  for (const Expr& e : out) operands.push_back(operand_of(e));
  const DType dtype = result_dtype(operands);
  for (Expr& e : out) e = converted(n.builder, e, dtype, n.span);
  return out;
}

Expr joined(const NodeContext& n, const char* op, std::vector<Expr> parts, int64_t axis) {
  if (parts.empty()) n.malformed("tensors");
  if (parts.size() == 1 && std::string_view(op) == "concat") return parts[0];
  return n.call(op, {Tuple::make(std::move(parts))}, {{"axis", axis}});
}

/// True for a tensor (0,), which PyTorch lets stand beside tensors of any rank.
bool is_empty_vector(const NodeContext& n, const Expr& x) {
  const std::vector<Scalar>& dims = n.dims(x);
  return dims.size() == 1 && find_int(dims.at(0)) && *find_int(dims.at(0)) == 0;
}

Results cat(const NodeContext& n) {
  std::vector<Expr> parts = listed(n);
  if (parts.size() > 1 && std::ranges::any_of(parts, [&](const Expr& e) { return rank_of(e) != 1; }))
    std::erase_if(parts, [&](const Expr& e) { return is_empty_vector(n, e); });
  return joined(n, "concat", std::move(parts), n.integer("dim", 0));
}
Results stack(const NodeContext& n) { return joined(n, "stack", listed(n), n.integer("dim", 0)); }

/// Joins tensors, which first get rank `rank` by leading axes of size 1, along `axis`; vectors in `hstack` along 0.
std::vector<Expr> with_rank(const NodeContext& n, int64_t rank) {
  std::vector<Expr> parts = listed(n);
  for (Expr& x : parts)
    while (n.rank(x) < rank) x = with_axes(n.builder, x, {rank == 3 && n.rank(x) == 2 ? 2 : 0}, n.span);
  return parts;
}
Results hstack(const NodeContext& n) {
  std::vector<Expr> parts = with_rank(n, 1);
  const int64_t axis = !parts.empty() && rank_of(parts[0]) == 1 ? 0 : 1;
  return joined(n, "concat", std::move(parts), axis);
}
Results vstack(const NodeContext& n) { return joined(n, "concat", with_rank(n, 2), 0); }
Results dstack(const NodeContext& n) { return joined(n, "concat", with_rank(n, 3), 2); }
Results column_stack(const NodeContext& n) {
  std::vector<Expr> parts = with_rank(n, 1);
  for (Expr& x : parts)
    if (rank_of(x) == 1) x = with_axes(n.builder, x, {1}, n.span);
  return joined(n, "concat", std::move(parts), 1);
}

std::vector<Expr> grid(const NodeContext& n, const std::string& indexing) {
  std::vector<Expr> vectors = listed(n);
  for (Expr& x : vectors) x = reshaped(n.builder, x, {product(n.builder, n.dims(x))}, n.span);
  const size_t count = vectors.size();
  return n.fields(n.call("meshgrid", {Tuple::make(std::move(vectors))}, {{"indexing", indexing}}), count).values;
}
Results meshgrid(const NodeContext& n) { return Results(grid(n, n.string("indexing", "ij"))); }

Results cartesian_prod(const NodeContext& n) {
  std::vector<Expr> columns = grid(n, "ij");
  if (columns.size() == 1) return columns[0];
  for (Expr& x : columns) x = reshaped(n.builder, x, {product(n.builder, n.dims(x))}, n.span);
  return joined(n, "stack", std::move(columns), 1);
}

/// Puts matrices behind each other along the diagonal of one, which is 0 elsewhere.
Results block_diag(const NodeContext& n) {
  std::vector<Expr> blocks = listed(n), rows;
  Scalar width = int_imm(0), before = int_imm(0);
  for (Expr& x : blocks) {
    while (n.rank(x) < 2) x = with_axes(n.builder, x, {0}, n.span);
    if (n.rank(x) != 2) n.malformed("tensors");
    width = n.builder.simplify(width + n.dims(x)[1]);
  }
  for (const Expr& x : blocks) {
    const DType t = dtype_of(x);
    const auto zeros = [&](const Scalar& columns) {
      return n.call("full", {ShapeExpr::make({n.dims(x)[0], n.builder.simplify(columns)}), n.constant(t, 0)},
                    {{"dtype", t}});
    };
    const Scalar after = before + n.dims(x)[1];
    rows.push_back(joined(n, "concat", {zeros(before), x, zeros(width - after)}, 1));
    before = n.builder.simplify(after);
  }
  return joined(n, "concat", std::move(rows), 0);
}

}  // namespace

std::vector<Converter> join_converters() {
  const char* concat = "`R.concat`";
  return {{"aten.cat.default", cat, concat},
          {"aten.concat.default", cat, concat},
          {"aten.concatenate.default", cat, concat},
          {"aten.stack.default", stack, "`R.stack`"},
          {"aten.hstack.default", hstack, concat},
          {"aten.vstack.default", vstack, concat},
          {"aten.row_stack.default", vstack, concat},
          {"aten.dstack.default", dstack, concat},
          {"aten.column_stack.default", column_stack, concat},
          {"aten.meshgrid.default", meshgrid, "`R.meshgrid`"},
          {"aten.meshgrid.indexing", meshgrid, "`R.meshgrid`"},
          {"aten.block_diag.default", block_diag, concat},
          {"aten.cartesian_prod.default", cartesian_prod, "`R.stack` of `R.meshgrid`"}};
}

}  // namespace sunmao::torch
