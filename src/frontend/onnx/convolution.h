// Convolutions by the attributes of Conv, of which several ops consist.
#pragma once
#include "frontend/onnx/compose.h"
#include "frontend/onnx/window.h"

namespace sunmao::onnx {

/// Returns the convolution of `x`, the data of input 0 as it is or changed, with `weight`, that of input
/// `weight_input`. A result of another dtype than the operands is named.
Expr convolved(const NodeContext& n, const Expr& x, const Expr& weight, size_t weight_input, DType out_dtype = {});

/// The same with another window than that of the attributes.
Expr convolved(const NodeContext& n, const Expr& x, const Expr& weight, const Window& window, DType out_dtype = {});

/// Adds a vector along the axis of channels, the second one.
Expr with_bias(const NodeContext& n, const Expr& x, const Expr& bias);

}  // namespace sunmao::onnx
