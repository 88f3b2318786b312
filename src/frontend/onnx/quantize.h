// Quantised values by the inputs that describe them: a scale, and a zero point that may be left out.
#pragma once
#include "frontend/onnx/compose.h"

namespace sunmao::onnx {

/// Returns (x - zero) * scale as floats of the scale's dtype.
Expr dequantized(const NodeContext& n, const Expr& x, size_t scale, size_t zero, int64_t axis = 0);

/// Returns round(x / scale) + zero in `dtype`, that of the zero point where it is given.
Expr quantized(const NodeContext& n, const Expr& x, size_t scale, size_t zero, DType dtype, int64_t axis = 0);

/// Returns x - zero as integers that hold the difference; `x` itself when the zero point is 0 or left out. A vector of
/// zero points lies along `axis` of `x`.
Expr centred(const NodeContext& n, const Expr& x, size_t zero, int64_t axis);

/// A matrix, and the input that has its zero points.
struct QuantisedMatrix {
  Expr x;
  size_t zero;
};
/// Returns the product of two matrices less their zero points in int32. Zero points of the left one lie along its rows,
/// those of the right one along its columns.
Expr matmul32(const NodeContext& n, const QuantisedMatrix& a, const QuantisedMatrix& b);

/// A tensor as uint8 over the range of its values and 0. The scale is 0 where all of them are.
struct RangeQuantised {
  Expr values, scale, zero;
};
RangeQuantised quantized_over_range(const NodeContext& n, const Expr& x);

}  // namespace sunmao::onnx
