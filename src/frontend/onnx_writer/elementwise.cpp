// Writers of elementwise ops.
#include "frontend/onnx_writer/onnx_call.h"

namespace sunmao::onnx_writer {
namespace {

Values reciprocal_root(OnnxCall& c) { return {c.add("Reciprocal", {c.add("Sqrt", c.inputs())})}; }

Values squared(OnnxCall& c) {
  const std::string x = c.input(0);
  return {c.add("Mul", {x, x})};
}

Values clipped(OnnxCall& c) {
  Values inputs = c.inputs();
  const Values bounds{inputs[1], inputs[2]};
  for (size_t i : {size_t{1}, size_t{2}}) {
    const auto* type = find<PrimType>(c.call.args[i]->type);
    c.require(type && (c.dtype().is_float() || !type->dtype.is_float()),
              "of integers by other bounds has no counterpart in ONNX");
    inputs[i] = c.cast(inputs[i], type->dtype, c.dtype());
  }
  return {c.add("Clip", inputs)};
}

Values up_to_six(OnnxCall& c) { return {c.add("Clip", {c.input(0), c.number(c.dtype(), 0), c.number(c.dtype(), 6)})}; }

Values leaky(OnnxCall& c) { return {c.add("LeakyRelu", c.inputs(), {{"alpha", c.real_attr("alpha")}})}; }

Values gelu(OnnxCall& c) { return {c.add("Gelu", c.inputs(), {{"approximate", "none"}})}; }
Values gelu_by_tanh(OnnxCall& c) {
  c.require(c.dtype() != DType::float_(64), "on float64 has constants of 32 bits in ONNX");
  return {c.add("Gelu", c.inputs(), {{"approximate", "tanh"}})};
}

Values silu(OnnxCall& c) {
  const std::string x = c.input(0);
  return {c.add("Mul", {x, c.add("Sigmoid", {x})})};
}

Values softplus(OnnxCall& c) {
  c.require(c.in.float_attr("beta") == 1, "with a `beta` has no counterpart in ONNX");
  c.require(c.in.float_attr("threshold") >= 20, "with a `threshold` has no counterpart in ONNX");
  return {c.add("Softplus", c.inputs())};
}

/// PRelu of ONNX leaves 0 alone, where a slope that is not finite gives NaN.
Values prelu(OnnxCall& c) {
  const int64_t rank = c.rank(), axis = c.axis("axis", rank);
  const std::string x = c.input(0), slopes = c.along(c.input(1), axis, rank);
  const std::string is_positive = c.add("Greater", {x, c.number(c.dtype(), 0)});
  return {c.add("Where", {is_positive, x, c.add("Mul", {x, slopes})})};
}

/// The remainder has the sign of the dividend, or that of the divisor, which ONNX has of integers alone.
Values remainder(OnnxCall& c) { return {c.add("Mod", c.inputs(), {{"fmod", 1}})}; }
Values floored_remainder(OnnxCall& c) { return {c.add("Mod", c.inputs(), {{"fmod", 0}})}; }

Values unequal(OnnxCall& c) { return {c.add("Not", {c.add("Equal", c.inputs())})}; }

/// ONNX shifts unsigned integers alone.
Values left_shift(OnnxCall& c) { return {c.add("BitShift", c.inputs(), {{"direction", "LEFT"}})}; }
Values right_shift(OnnxCall& c) { return {c.add("BitShift", c.inputs(), {{"direction", "RIGHT"}})}; }

Values filled_where(OnnxCall& c) {
  const auto* type = find<PrimType>(c.call.args[2]->type);
  const std::string value = c.input(2);
  return {c.add("Where", {c.input(1), type ? c.cast(value, type->dtype, c.dtype()) : value, c.input(0)})};
}

Values cast(OnnxCall& c) {
  const DType to = c.result_type().dtype;
  c.require_dtype(to, Dtypes::All);
  return {c.add("Cast", c.inputs(), {{"to", *element_of(to)}})};
}

}  // namespace

std::vector<Row> elementwise_rows() {
  using enum Dtypes;
  return {{"abs", "Abs", as_one_node, Numbers},
          {"acos", "Acos", as_one_node, Floats},
          {"acosh", "Acosh", as_one_node, Floats},
          {"add", "Add", as_one_node, Numbers},
          {"asin", "Asin", as_one_node, Floats},
          {"asinh", "Asinh", as_one_node, Floats},
          {"astype", "Cast", cast},
          {"atan", "Atan", as_one_node, Floats},
          {"atanh", "Atanh", as_one_node, Floats},
          {"bitwise_and", "BitwiseAnd", as_one_node, Integers},
          {"bitwise_not", "BitwiseNot", as_one_node, Integers},
          {"bitwise_or", "BitwiseOr", as_one_node, Integers},
          {"bitwise_xor", "BitwiseXor", as_one_node, Integers},
          {"ceil", "Ceil", as_one_node, Floats},
          {"clip", "Clip", clipped, Numbers},
          {"cos", "Cos", as_one_node, Floats},
          {"cosh", "Cosh", as_one_node, Floats},
          {"divide", "Div", as_one_node, Numbers},
          {"equal", "Equal", as_one_node},
          {"erf", "Erf", as_one_node, Floats},
          {"exp", "Exp", as_one_node, Floats},
          {"floor", "Floor", as_one_node, Floats},
          {"floor_mod", "Mod", floored_remainder, Integers},
          {"greater", "Greater", as_one_node, Numbers},
          {"greater_equal", "GreaterOrEqual", as_one_node, Numbers},
          {"isinf", "IsInf", as_one_node, Floats},
          {"isnan", "IsNaN", as_one_node, Floats},
          {"left_shift", "BitShift", left_shift, Unsigned},
          {"less", "Less", as_one_node, Numbers},
          {"less_equal", "LessOrEqual", as_one_node, Numbers},
          {"log", "Log", as_one_node, Floats},
          {"logical_and", "And", as_one_node, Truths},
          {"logical_not", "Not", as_one_node, Truths},
          {"logical_or", "Or", as_one_node, Truths},
          {"logical_xor", "Xor", as_one_node, Truths},
          {"masked_fill", "Where", filled_where},
          {"maximum", "Max", as_one_node, Numbers},
          {"minimum", "Min", as_one_node, Numbers},
          {"mod", "Mod", remainder, Numbers},
          {"multiply", "Mul", as_one_node, Numbers},
          {"negative", "Neg", as_one_node, Signed},
          {"nn.gelu", "Gelu", gelu, Floats},
          {"nn.gelu_tanh", "Gelu", gelu_by_tanh, Floats},
          {"nn.leakyrelu", "LeakyRelu", leaky, Floats},
          {"nn.prelu", "Greater, Mul, Where", prelu, Floats},
          {"nn.relu", "Relu", as_one_node, Signed},
          {"nn.relu6", "Clip", up_to_six, Numbers},
          {"nn.selu", "Selu", as_one_node, Floats},
          {"nn.silu", "Sigmoid, Mul", silu, Floats},
          {"nn.softplus", "Softplus", softplus, Floats},
          {"not_equal", "Equal, Not", unequal},
          {"power", "Pow", as_one_node, Floats},
          {"right_shift", "BitShift", right_shift, Unsigned},
          {"round", "Round", as_one_node, Floats},
          {"rsqrt", "Sqrt, Reciprocal", reciprocal_root, Floats},
          {"sigmoid", "Sigmoid", as_one_node, Floats},
          {"sign", "Sign", as_one_node, Numbers},
          {"sin", "Sin", as_one_node, Floats},
          {"sinh", "Sinh", as_one_node, Floats},
          {"sqrt", "Sqrt", as_one_node, Floats},
          {"square", "Mul", squared, Numbers},
          {"subtract", "Sub", as_one_node, Numbers},
          {"tan", "Tan", as_one_node, Floats},
          {"tanh", "Tanh", as_one_node, Floats},
          {"where", "Where", as_one_node},
          {"wrap_param", "Cast", cast}};
}

}  // namespace sunmao::onnx_writer
