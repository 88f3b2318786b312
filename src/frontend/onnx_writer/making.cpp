// Writers of ops that make tensors.
#include "frontend/onnx_writer/onnx_call.h"

namespace sunmao::onnx_writer {
namespace {

/// Returns the shape of the result as a vector: that of argument 0, a tensor or a shape.
std::string shape_of_result(OnnxCall& c) {
  if (find<TensorType>(c.call.args[0]->type)) return c.add("Shape", {c.input(0)});
  return c.shape_input(0);
}

template <int value>
Values filled(OnnxCall& c) {
  return {c.add("Expand", {c.number(c.result_type().dtype, value), shape_of_result(c)})};
}

Values full(OnnxCall& c) {
  const auto* scalar = find<PrimType>(c.call.args[1]->type);
  const DType from = scalar ? scalar->dtype : c.dtype(1);
  return {c.add("Expand", {c.cast(c.input(1), from, c.result_type().dtype), shape_of_result(c)})};
}

int64_t whole_number(const OnnxCall& c, size_t i) {
  const auto* prim = find<PrimValue>(c.call.args[i]);
  const int64_t* value = prim ? find_int(prim->value) : nullptr;
  c.require(value, "takes a number that only a run knows");
  return *value;
}

Values eye_like(OnnxCall& c) {
  const DType dtype = c.result_type().dtype;
  c.require_dtype(dtype, Dtypes::All);
  return {c.add("EyeLike", {c.input(0)}, {{"k", whole_number(c, 1)}, {"dtype", *element_of(dtype)}})};
}

template <int upper>
Values triangle(OnnxCall& c) {
  return {c.add("Trilu", {c.input(0), c.number(DType::int_(64), static_cast<double>(whole_number(c, 1)))},
                {{"upper", upper}})};
}

/// How many numbers there are follows from limits of the result's dtype in ONNX.
Values arange(OnnxCall& c) {
  const DType dtype = c.result_type().dtype;
  c.require(dtype.is_int() && dtype.bits >= 16, "of what is no int16, int32 or int64 has no counterpart in ONNX");
  Values limits;
  for (size_t i = 0; i < 3; ++i) {
    const auto* type = find<PrimType>(c.call.args[i]->type);
    c.require(type && type->dtype.is_int(), "takes limits that are no integers");
    limits.push_back(c.cast(c.input(i), type->dtype, dtype));
  }
  return {c.add("Range", limits)};
}

}  // namespace

std::vector<Row> making_rows() {
  return {{"arange", "Range", arange},        {"eye_like", "EyeLike", eye_like}, {"full", "Expand", full},
          {"full_like", "Expand", full},      {"ones", "Expand", filled<1>},     {"ones_like", "Expand", filled<1>},
          {"tril", "Trilu", triangle<0>},     {"triu", "Trilu", triangle<1>},    {"zeros", "Expand", filled<0>},
          {"zeros_like", "Expand", filled<0>}};
}

}  // namespace sunmao::onnx_writer
