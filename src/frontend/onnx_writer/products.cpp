// Writers of products of matrices, and of quantisation.
#include "frontend/onnx_writer/onnx_call.h"

namespace sunmao::onnx_writer {
namespace {

void require_own_dtype(const OnnxCall& c) {
  c.require(c.result_type().dtype == c.dtype(), "with an `out_dtype` has no counterpart in ONNX");
}

Values product(OnnxCall& c) {
  require_own_dtype(c);
  return {c.add("MatMul", c.inputs())};
}

Values linear(OnnxCall& c) {
  require_own_dtype(c);
  std::string weight = c.input(1);
  if (c.rank(1) == 2) weight = c.transposed(weight, {1, 0});
  const std::string out = c.add("MatMul", {c.input(0), weight});
  return {c.in.has(2) ? c.add("Add", {out, c.input(2)}) : out};
}

Values einsum(OnnxCall& c) {
  c.require_dtype(c.result_type().dtype, Dtypes::Words);
  return {c.add("Einsum", c.fields(0), {{"equation", c.in.string_attr("subscripts")}})};
}

bool is_quantised(DType t) { return (t.is_int() || t.is_uint()) && t.bits <= 16 && t.bits >= 8; }

bool has_blocks(const OnnxCall& c) { return c.in.int_attr("block_size") > 0; }

/// Returns scale or zero point `i`: a scalar, or a vector along the axis.
std::string parameter(OnnxCall& c, size_t i, DType dtype) {
  const auto* scalar = find<PrimType>(c.call.args[i]->type);
  const std::string value = c.cast(c.input(i), scalar ? scalar->dtype : c.dtype(i), dtype);
  if (scalar || c.rank(i) == 0 || has_blocks(c)) return value;
  const int64_t* count = find_int(c.dims(i)[0]);
  const int64_t* size = find_int(c.dims()[static_cast<size_t>(c.axis("axis", c.rank()))]);
  c.require(count && size, "with scales of symbolic number has no counterpart in ONNX");
  return *count == *size ? value : c.reshaped(value, {});
}

/// Scale and zero point have one shape in ONNX.
NodeAttributes quantisation_axis(const OnnxCall& c) {
  const auto shape = [&](size_t i) {
    const auto* type = find<TensorType>(c.call.args[i]->type);
    return type && type->rank > 0 ? find_int(c.dims(i)[0]) : nullptr;
  };
  if (has_blocks(c)) {
    const auto rank = [&](size_t i) { return find<PrimType>(c.call.args[i]->type) ? 0 : c.rank(i); };
    c.require(rank(1) == c.rank() && rank(2) == c.rank() && c.rank() > 1,
              "with blocks that share a scale or a zero point has no counterpart in ONNX");
    return {{"axis", c.axis("axis", c.rank())}, {"block_size", c.in.int_attr("block_size")}};
  }
  const int64_t *scales = shape(1), *zeros = shape(2);
  c.require((!scales && !zeros) || (scales && zeros && *scales == *zeros),
            "with scales and zero points of different shapes has no counterpart in ONNX");
  c.require(c.rank() > 0 || !scales, "of a scalar with a vector of scales has no counterpart in ONNX");
  return {{"axis", c.rank() > 0 ? c.axis("axis", c.rank()) : int64_t{0}}};
}

Values quantised(OnnxCall& c) {
  const DType to = c.result_type().dtype;
  c.require(c.dtype() == DType::float_(32), "of what is not float32 has no counterpart in ONNX");
  c.require(is_quantised(to), "to what is no integer of 8 or 16 bits has no counterpart in ONNX");
  const NodeAttributes axis = quantisation_axis(c);
  return {c.add("QuantizeLinear", {c.input(0), parameter(c, 1, c.dtype()), parameter(c, 2, to)}, axis)};
}

Values dequantised(OnnxCall& c) {
  const DType to = c.result_type().dtype;
  c.require(to == DType::float_(32), "to what is not float32 has no counterpart in ONNX");
  c.require(is_quantised(c.dtype()), "of what is no integer of 8 or 16 bits has no counterpart in ONNX");
  const NodeAttributes axis = quantisation_axis(c);
  return {c.add("DequantizeLinear", {c.input(0), parameter(c, 1, to), parameter(c, 2, c.dtype())}, axis)};
}

}  // namespace

std::vector<Row> product_rows() {
  using enum Dtypes;
  return {{"dequantize", "DequantizeLinear", dequantised},
          {"einsum", "Einsum", einsum},
          {"linalg.det", "Det", as_one_node, Floats},
          {"linear", "Transpose, MatMul, Add", linear, Words},
          {"matmul", "MatMul", product, Words},
          {"quantize", "QuantizeLinear", quantised}};
}

}  // namespace sunmao::onnx_writer
