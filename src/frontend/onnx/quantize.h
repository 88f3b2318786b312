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

/// Calls `product` on two centred tensors of one dtype.
template <class Product>
Expr int32_product(const NodeContext& n, Expr a, Expr b, Product product) {
  if (dtype_of(a) != dtype_of(b)) {
    const DType wide = DType::int_(16);
    a = converted(n.builder, a, wide, n.span);
    b = converted(n.builder, b, wide, n.span);
  }
  return product(a, b);
}

/// Returns the product of two centred matrices in int32.
inline Expr matmul32(const NodeContext& n, const Expr& a, const Expr& b) {
  return int32_product(n, a, b, [&](const Expr& x, const Expr& y) {
    return n.call("matmul", {x, y}, {{"out_dtype", DType::int_(32)}});
  });
}

}  // namespace sunmao::onnx
