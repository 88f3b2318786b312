// Quantised values: tensors of bytes and what they stand for, and which ops pass them on without reading numbers.
#pragma once
#include "ir/op.h"

namespace sunmao {

/// A tensor that stands for (values - zero) * scale. Scale and zero point are one for all, or vectors along an axis.
struct Quantised {
  Expr values, scale, zero;
  int axis = 0;
};

/// Returns the operands of a call of `quantize` or `dequantize`, with an axis from 0 on.
Quantised quantised_operands(const Call& call);

/// True for a tensor of one element, or a scalar.
bool is_single(const Expr& e);
/// True for a constant whose elements all are one number above 0.
bool has_positive_value(const Expr& scale);
/// Returns the number that all elements of a constant are; nullopt for other expressions and for floats.
std::optional<int64_t> known_integer(const Expr& e);
/// Returns a constant of rank 0.
Expr integer_constant(DType dtype, int64_t value);

/// Returns the axis along which the result of `call` has the scales that its first argument has along `axis`; nullopt
/// unless the call only moves elements, or takes the highest of some, and keeps those scales apart.
std::optional<int> axis_behind(const Call& call, const Quantised& x);

}  // namespace sunmao
