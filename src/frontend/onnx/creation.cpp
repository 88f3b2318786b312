// Converters that make tensors: ConstantOfShape, Range, EyeLike, OneHot.
#include "eval/element.h"
#include "frontend/onnx/compose.h"
#include "frontend/onnx/tensors.h"

namespace sunmao::onnx {
namespace {

/// Returns the single number of a tensor attribute, as a constant of rank 0.
Expr number_attr(const NodeContext& n, std::string_view name, const Expr& otherwise) {
  const Tensor* t = n.tensor_attr(name);
  if (!t) return otherwise;
  if (dtype_of_element(t->data_type).is_void()) throw UnsupportedUse{"of " + name_of_element(t->data_type)};
  const Array data = TensorLoader({}, "").load(*t, n.span);
  if (data.count() != 1) n.fail(fmt::format("`{}` holds {} numbers, expected one", name, data.count()));
  return Constant::make(Array::copy(data.dtype(), {}, data.bytes()), n.span);
}

Results constant_of_shape(const NodeContext& n) {
  const Expr value = number_attr(n, "value", n.constant(DType::float_(32), 0));
  return n.call("full", {ShapeExpr::make(n.sizes(0), n.span), value});
}

bool has_known_limits(const NodeContext& n) {
  for (size_t i = 0; i < 3; ++i)
    if (dtype_of(n.tensor(i)).is_float() ? !n.builder.data(n.tensor(i)) : !n.builder.elements(n.tensor(i)))
      return false;
  return true;
}

/// A range with limits that data decides is as long as its first elements are before its end. A run refuses a step of
/// 0.
Expr computed_range(const NodeContext& n) {
  const auto limit = [&](size_t i) { return reshaped(n.builder, n.tensor(i), {}, n.span); };
  const Expr first = limit(0), is_step = converted(n.builder, limit(2), DType::bool_(), n.span);
  const Expr one = n.call("nonzero_divisor", {converted(n.builder, is_step, DType::int_(64), n.span)});
  const Expr step = binary(n, "multiply", limit(2), converted(n.builder, one, dtype_of(first), n.span));
  const DType dtype = dtype_of(first), exact = dtype.is_float() ? DType::float_(64) : DType::int_(64);
  const auto as_exact = [&](const Expr& e) { return converted(n.builder, e, exact, n.span); };
  const Expr way = binary(n, "subtract", as_exact(first), as_exact(limit(1)));
  const Expr whole = n.call("negative", {binary(n, "floor_divide", way, as_exact(step))});
  const Expr count = converted(n.builder, binary(n, "maximum", whole, 0), DType::int_(64), n.span);
  const Expr places = places_along(n, n.builder.sizes_in(count).at(0), dtype, 0, 1);
  return binary(n, "add", first, binary(n, "multiply", places, step));
}

/// Floats must be numbers, integers may be symbolic.
Results range(const NodeContext& n) {
  const DType dtype = dtype_of(n.tensor(0));
  if (!has_known_limits(n)) return computed_range(n);
  std::vector<Expr> limits;
  for (size_t i = 0; i < 3; ++i) {
    if (dtype.is_float()) {
      limits.push_back(PrimValue::make(FloatImm::make(DType::float_(64), n.number(i, "limits")), n.span));
      continue;
    }
    const std::vector<Scalar> limit = n.elements(i, "limits");
    if (limit.size() != 1) n.fail(fmt::format("input {} holds {} numbers, expected one", i, limit.size()));
    limits.push_back(scalar_operand(limit[0]));
  }
  return n.call("arange", std::move(limits), {{"dtype", dtype}});
}

Results eye_like(const NodeContext& n) {
  return n.call("eye_like", {n.tensor(0), scalar_operand(int_imm(n.int_attr("k", 0)))},
                {{"dtype", n.dtype_attr(dtype_of(n.tensor(0)))}});
}

/// Compares each index with the places along a new axis. An index may count from the end.
Results one_hot(const NodeContext& n) {
  const DType int64 = DType::int_(64);
  const std::vector<Scalar> given = n.builder.sizes_in(converted(n.builder, n.tensor(1), int64, n.span));
  if (given.size() != 1) n.fail(fmt::format("`depth` holds {} numbers, expected one", given.size()));
  const Scalar depth = given[0];
  const int64_t rank = n.rank(0) + 1, axis = axis_of(n, n.int_attr("axis", -1), rank);
  const Expr places = with_axes(n.builder, converted(n.builder, n.tensor(0), int64, n.span), {axis}, n.span);
  const Expr size = tensor_of(n.builder, {depth}, false, n.span);
  const Expr index = chosen(n, binary(n, "less", places, 0), binary(n, "add", places, size), places);
  const Expr is_hot = binary(n, "equal", index, places_along(n, depth, int64, axis, rank));
  return chosen(n, is_hot, slice_at(n, n.tensor(2), 1, 0), slice_at(n, n.tensor(2), 0, 0));
}

}  // namespace

std::vector<Converter> creation_converters() {
  return {{"ConstantOfShape", 9, constant_of_shape, "`R.full`"},
          {"Range", 11, range, "`R.arange`; with limits that data decides also `R.floor_divide`, `R.tensor_to_shape`"},
          {"EyeLike", 9, eye_like, "`R.eye_like`"},
          {"OneHot", 9, one_hot, "`R.where`, `R.equal`, `R.arange`"}};
}

}  // namespace sunmao::onnx
