// Quantised values: tensors of bytes and what they stand for, and which ops pass them on without reading numbers.
#pragma once
#include "ir/op.h"

namespace sunmao {

inline constexpr int64_t kSignShift = 128;  // between int8 and uint8

/// A tensor that stands for (values - zero) * scale. Scale and zero point are one for all, vectors along an axis, or
/// tensors of the rank of the values that have one element for each row.
struct Quantised {
  Expr values, scale, zero;
  int axis = 0;
  int64_t block = 0;  // the elements along the axis that share a scale, which then has the rank of the values; else 0
};

/// Returns the operands of a call of `quantize` or `dequantize`, with an axis from 0 on.
Quantised quantised_operands(const Call& call);

int tensor_rank(const Expr& e);
/// Returns the size of a dimension; 0 when it is not known.
int64_t tensor_size(const Expr& e, int axis);

/// True for a tensor of one element, or a scalar.
bool is_single(const Expr& e);
/// True for a constant whose elements all are one number above 0.
bool has_positive_value(const Expr& scale);
/// Returns the number that all elements of a constant are; nullopt for other expressions and for floats.
std::optional<int64_t> known_integer(const Expr& e);

/// True when each element of the result is one of the first operand, by its place.
bool moves_elements(const Call& call);
/// The same, or as the highest of some.
bool passes_elements_on(const Call& call);
/// Returns the axis along which the result of such a call has the scales that `x`, its first operand, has; nullopt for
/// other calls, and where elements of different scales would meet.
std::optional<int> axis_behind(const Call& call, const Quantised& x);

}  // namespace sunmao
