// Converters of comparisons, logic, bits, and choices by conditions.
#include "frontend/shapes.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

/// Returns the argument as bools: whether it is not 0.
Expr truth(const NodeContext& n, std::string_view name) {
  return converted(n.builder, n.tensor(name), DType::bool_(), n.span);
}

template <OpName op>
Results logical(const NodeContext& n) {
  return n.call(op.text, {truth(n, "self"), truth(n, "other")});
}

/// Converts `where`, whose sides may be numbers.
Results where(const NodeContext& n) {
  std::vector<Expr> sides = promoted(n, {"self", "other"});
  return n.call("where", {truth(n, "condition"), sides[0], sides[1]});
}

/// Converts to |self - other| <= atol + rtol * |other|, or self == other, which holds for infinities.
Results isclose(const NodeContext& n) {
  Expr x = n.tensor("self"), y = n.tensor("other");
  Expr equal = n.call("equal", {x, y});
  Expr wide_x = widened(n, float_tensor(n, "self")), wide_y = widened(n, float_tensor(n, "other"));
  const DType dtype = dtype_of(wide_x);
  Expr allowed = scaled(n.builder, n.call("abs", {wide_y}), n.real("rtol", 1e-5), n.span);
  allowed = n.call("add", {allowed, n.constant(dtype, n.real("atol", 1e-8))});
  Expr distance = n.call("abs", {n.call("subtract", {wide_x, wide_y})});
  Expr near = n.call("logical_and", {n.call("isfinite", {distance}), n.call("less_equal", {distance, allowed})});
  near = n.call("logical_or", {equal, near});
  if (!n.boolean("equal_nan", false)) return near;
  return n.call("logical_or", {near, n.call("logical_and", {n.call("isnan", {wide_x}), n.call("isnan", {wide_y})})});
}

/// Converts to whether each element is among `test`, both tensors or one of them a number.
Results isin_of(const NodeContext& n, const char* elements, const char* test) {
  const Operand x = operand(n, elements), y = operand(n, test);
  const DType dtype = result_dtype(std::array{x, y});
  Expr values = tensor_of(n, x, dtype), among = tensor_of(n, y, dtype);
  Expr flat = reshaped(n.builder, among, {product(n.builder, n.dims(among))}, n.span);
  Expr equal = n.call("equal", {with_axes(n.builder, values, {n.rank(values)}, n.span), flat});
  Expr found = n.call("max", {equal}, {{"axis", AttrValue::ints({-1})}});
  return n.boolean("invert", false) ? n.call("logical_not", {found}) : found;
}
Results isin(const NodeContext& n) { return isin_of(n, "elements", "test_elements"); }
Results isin_number(const NodeContext& n) { return isin_of(n, "elements", "test_element"); }
Results number_isin(const NodeContext& n) { return isin_of(n, "element", "test_elements"); }

template <OpName op>
void add_comparison(std::vector<Converter>& rows, std::initializer_list<const char*> targets, const char* becomes) {
  for (const char* target : targets) rows.push_back({target, binary<op>, becomes});
}

template <OpName op>
void add_bits(std::vector<Converter>& rows, std::initializer_list<std::pair<const char*, const char*>> targets,
              const char* becomes) {
  for (const auto& [target, in_place] : targets) add_pair<binary<op>>(rows, target, in_place, becomes);
}

void add_bits(std::vector<Converter>& rows) {
  add_bits<"bitwise_and">(rows,
                          {{"aten.bitwise_and.Tensor", "aten.bitwise_and_.Tensor"},
                           {"aten.bitwise_and.Scalar", "aten.bitwise_and_.Scalar"},
                           {"aten.__and__.Tensor", "aten.__iand__.Tensor"},
                           {"aten.__and__.Scalar", "aten.__iand__.Scalar"}},
                          "`R.bitwise_and`");
  add_bits<"bitwise_or">(rows,
                         {{"aten.bitwise_or.Tensor", "aten.bitwise_or_.Tensor"},
                          {"aten.bitwise_or.Scalar", "aten.bitwise_or_.Scalar"},
                          {"aten.__or__.Tensor", "aten.__ior__.Tensor"},
                          {"aten.__or__.Scalar", "aten.__ior__.Scalar"}},
                         "`R.bitwise_or`");
  add_bits<"bitwise_xor">(rows,
                          {{"aten.bitwise_xor.Tensor", "aten.bitwise_xor_.Tensor"},
                           {"aten.bitwise_xor.Scalar", "aten.bitwise_xor_.Scalar"},
                           {"aten.__xor__.Tensor", "aten.__ixor__.Tensor"},
                           {"aten.__xor__.Scalar", "aten.__ixor__.Scalar"}},
                          "`R.bitwise_xor`");
  add_bits<"left_shift">(rows,
                         {{"aten.bitwise_left_shift.Tensor", "aten.bitwise_left_shift_.Tensor"},
                          {"aten.bitwise_left_shift.Tensor_Scalar", "aten.bitwise_left_shift_.Tensor_Scalar"},
                          {"aten.__lshift__.Tensor", "aten.__ilshift__.Tensor"},
                          {"aten.__lshift__.Scalar", "aten.__ilshift__.Scalar"}},
                         "`R.left_shift`");
  add_bits<"right_shift">(rows,
                          {{"aten.bitwise_right_shift.Tensor", "aten.bitwise_right_shift_.Tensor"},
                           {"aten.bitwise_right_shift.Tensor_Scalar", "aten.bitwise_right_shift_.Tensor_Scalar"},
                           {"aten.__rshift__.Tensor", "aten.__irshift__.Tensor"},
                           {"aten.__rshift__.Scalar", "aten.__irshift__.Scalar"}},
                          "`R.right_shift`");
}

}  // namespace

std::vector<Converter> comparison_converters() {
  std::vector<Converter> rows;
  add_comparison<"equal">(rows, {"aten.eq.Tensor", "aten.eq.Scalar"}, "`R.equal`");
  add_comparison<"not_equal">(rows, {"aten.ne.Tensor", "aten.ne.Scalar", "aten.not_equal.Tensor"}, "`R.not_equal`");
  add_comparison<"less">(rows, {"aten.lt.Tensor", "aten.lt.Scalar", "aten.less.Tensor"}, "`R.less`");
  add_comparison<"less_equal">(rows, {"aten.le.Tensor", "aten.le.Scalar", "aten.less_equal.Tensor"}, "`R.less_equal`");
  add_comparison<"greater">(rows, {"aten.gt.Tensor", "aten.gt.Scalar", "aten.greater.Tensor"}, "`R.greater`");
  add_comparison<"greater_equal">(rows, {"aten.ge.Tensor", "aten.ge.Scalar", "aten.greater_equal.Tensor"},
                                  "`R.greater_equal`");
  add_pair<logical<"logical_and">>(rows, "aten.logical_and.default", "aten.logical_and_.default", "`R.logical_and`");
  add_pair<logical<"logical_or">>(rows, "aten.logical_or.default", "aten.logical_or_.default", "`R.logical_or`");
  add_pair<logical<"logical_xor">>(rows, "aten.logical_xor.default", "aten.logical_xor_.default", "`R.logical_xor`");
  add_bits(rows);
  for (const char* target : {"aten.where.self", "aten.where.ScalarOther", "aten.where.ScalarSelf", "aten.where.Scalar"})
    rows.push_back({target, where, "`R.where`"});
  rows.push_back({"aten.isclose.default", isclose, "`R.less_equal` of `R.abs` of `R.subtract`"});
  rows.push_back({"aten.isin.Tensor_Tensor", isin, "`R.max` of `R.equal`"});
  rows.push_back({"aten.isin.Tensor_Scalar", isin_number, "`R.max` of `R.equal`"});
  rows.push_back({"aten.isin.Scalar_Tensor", number_isin, "`R.max` of `R.equal`"});
  return rows;
}

}  // namespace sunmao::torch
