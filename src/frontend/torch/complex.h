// Complex numbers: in a model they are two tensors, the real and the imaginary part, which the reader holds as a tuple.
// Callers and weights have both in one tensor, in a further, last dimension of size 2.
#pragma once
#include "frontend/torch/converters.h"

namespace sunmao::torch {

struct Complex {
  Expr re, im;  // `im` is null for real numbers
};

/// Returns the parts of a value that the reader holds.
Complex complex_parts(const Expr& value);
/// Returns a tuple of the parts; `value` itself when it has them.
Expr with_parts(const Expr& value, const Complex& parts);
/// Returns complex numbers; those of a real tensor have imaginary parts of 0.
Expr complex_of(const NodeContext& n, const Complex& parts);

/// Returns the type of one tensor with both parts of a tuple's.
Type stacked_type(const Type& parts);
/// Returns one tensor with both parts; the value itself when it is real.
Expr stacked(ModelBuilder& builder, const Expr& value, const Span& span);
/// Returns complex numbers whose parts are in the last dimension of a tensor.
Expr unstacked(ModelBuilder& builder, const Expr& tensor, const Span& span);

/// Returns how a node is read that is given complex numbers, or gives some; null when it cannot be read.
const Converter* complex_form(std::string_view target);

}  // namespace sunmao::torch
