// Shorthands for the calls that converters compose: elementwise ops between tensors and numbers, reductions, slices.
#pragma once
#include "frontend/onnx/node_context.h"
#include "frontend/shapes.h"

namespace sunmao::onnx {

inline Expr binary(const NodeContext& n, std::string_view op, const Expr& a, const Expr& b) {
  return n.call(op, {a, b});
}
/// The number has the dtype of the tensor beside it.
inline Expr binary(const NodeContext& n, std::string_view op, const Expr& a, double b) {
  return n.call(op, {a, n.constant(dtype_of(a), b)});
}
inline Expr binary(const NodeContext& n, std::string_view op, double a, const Expr& b) {
  return n.call(op, {n.constant(dtype_of(b), a), b});
}

/// Returns the product of matrices, of which there may be several: their axes before the last two are broadcast.
inline Expr matrix_product(const NodeContext& n, Expr a, Expr b, AttrMap attrs = {}) {
  const std::vector<Expr> operands = n.builder.repeated({std::move(a), std::move(b)}, 2, n.span);
  return n.call("matmul", operands, std::move(attrs));
}

/// Converters of an op on its one input, or on its two.
template <const char* op>
Results unary(const NodeContext& n) {
  return n.call(op, {n.tensor(0)});
}
template <const char* op>
Results of_two(const NodeContext& n) {
  return binary(n, op, n.tensor(0), n.tensor(1));
}

inline Expr chosen(const NodeContext& n, const Expr& condition, const Expr& a, const Expr& b) {
  return n.call("where", {condition, a, b});
}
inline Expr chosen(const NodeContext& n, const Expr& condition, const Expr& a, double b) {
  return n.call("where", {condition, a, n.constant(dtype_of(a), b)});
}

/// Reduces some axes, which stay with size 1.
inline Expr reduced(const NodeContext& n, std::string_view op, const Expr& x, const std::vector<int64_t>& axes) {
  return n.call(op, {x}, {{"axis", AttrValue::ints(axes)}, {"keepdims", true}});
}

inline Expr joined(const NodeContext& n, std::vector<Expr> parts, int64_t axis) {
  if (parts.size() == 1) return parts[0];
  return n.call("concat", {Tuple::make(std::move(parts), n.span)}, {{"axis", axis}});
}

inline Expr tuple_of(const NodeContext& n, std::vector<Expr> fields) { return Tuple::make(std::move(fields), n.span); }
/// The place of an optional argument that is not given.
inline Expr absent() { return Tuple::make({}); }

inline int64_t axis_of(const NodeContext& n, int64_t axis, int64_t rank) {
  return from_front(axis, rank, "E0609", n.span);
}

/// Returns 0, 1, … below `size` as integers along axis `axis` of a tensor of rank `rank`, whose other axes have size 1.
inline Expr places_along(const NodeContext& n, const Scalar& size, DType dtype, int64_t axis, int64_t rank) {
  const Expr places = n.call("arange", {scalar_operand(int_imm(0)), scalar_operand(size), scalar_operand(int_imm(1))},
                             {{"dtype", dtype}});
  std::vector<int64_t> others;
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis) others.push_back(i);
  return with_axes(n.builder, places, others, n.span);
}

/// Returns the axes [first, last) as a list.
inline std::vector<int64_t> axes_between(int64_t first, int64_t last) {
  std::vector<int64_t> out;
  for (int64_t i = first; i < last; ++i) out.push_back(i);
  return out;
}

/// Returns the axes of an image behind its batch and its channels.
inline std::vector<int64_t> spatial_axes(const NodeContext& n) { return axes_between(2, n.rank(0)); }

inline bool is_number(const Scalar& s, int64_t number) { return find_int(s) && *find_int(s) == number; }

/// Returns the dimensions of a tensor; throws UnsupportedUse when they are unknown.
inline const std::vector<Scalar>& sizes_of(const Expr& x) {
  const std::vector<Scalar>* dims = dims_of(x);
  if (!dims) throw UnsupportedUse{"of a tensor of unknown shape"};
  return *dims;
}

/// Fails unless input `i` has the rank.
inline void require_rank(const NodeContext& n, size_t i, int64_t rank) {
  if (n.rank(i) != rank) n.fail(fmt::format("input {} has rank {}, expected {}", i, n.rank(i), rank));
}

/// Returns the places of elements that are not zero, a column for each.
inline Expr places_of_nonzero(const NodeContext& n, const Expr& x) {
  const int rank = rank_of(x);
  const Scalar rows = rank > 0 ? int_imm(rank) : Scalar();
  return n.builder.sized(n.builder.call("nonzero", {x}, {}, n.span), {rows, nullptr});
}

/// Returns slice `i` of an axis, which goes.
inline Expr slice_at(const NodeContext& n, const Expr& x, int64_t i, int64_t axis) {
  return n.call("take", {x, integer_constant(DType::int_(64), i, n.span)}, {{"axis", axis}});
}

}  // namespace sunmao::onnx
