// What the converters of both front ends share: shape arithmetic, constants, and conversions of dtype.
#pragma once
#include <span>

#include "frontend/model_builder.h"

namespace sunmao {

/// True when the expression has at most kMaxScalarNodes nodes, more than occur in real models. Larger ones are
/// rejected, which bounds recursion depth.
bool is_short(const Scalar& s);
/// Returns `s`; throws UnsupportedUse unless `is_short(s)`.
Scalar bounded(Scalar s);

Scalar product(ModelBuilder& builder, std::span<const Scalar> dims);

/// Returns `target` with its single -1 replaced by the number of elements of `from` divided by the product of the
/// others; fails with `code` on an invalid target.
std::vector<Scalar> resolve_shape(ModelBuilder& builder, const std::vector<Scalar>& from, std::vector<Scalar> target,
                                  const char* code, const Span& span);

/// Returns `x` reshaped; `x` itself when it has the shape already.
Expr reshaped(ModelBuilder& builder, const Expr& x, std::vector<Scalar> dims, const Span& span);

/// Returns `x` with the axes [first, last] merged into one.
Expr flattened(ModelBuilder& builder, const Expr& x, size_t first, size_t last, const Span& span);

/// Returns `x` broadcast to `dims`; `x` itself when it has the shape already.
Expr broadcast(ModelBuilder& builder, const Expr& x, std::vector<Scalar> dims, const Span& span);

/// Returns `x` with its axes in another order; `x` itself for the order it has.
Expr permuted(ModelBuilder& builder, const Expr& x, const std::vector<int64_t>& axes, const Span& span);

/// Returns `x` with axis 1, that of channels or of coordinates, as its last.
Expr with_channels_last(ModelBuilder& builder, const Expr& x, const Span& span);

/// Returns `x` without the axes that `axes` name, or with new axes of size 1 at these places of the result.
Expr without_axes(ModelBuilder& builder, const Expr& x, std::vector<int64_t> axes, const Span& span);
Expr with_axes(ModelBuilder& builder, const Expr& x, std::vector<int64_t> axes, const Span& span);

/// True when an op that drops axes of size 1 drops one of this size. Where only a run knows, the axis stays and the run
/// is refused (E0905) if its size is 1; `remedy` says what decides it before.
bool is_dropped(ModelBuilder& builder, const Scalar& size, const std::string& remedy, const Span& span);

/// One axis of a slice, with bounds that may be symbolic and, as in Python, negative or beyond the ends.
struct AxisSlice {
  int64_t axis;
  Scalar begin, end;
  int64_t step = 1;
};
/// Returns a slice of `x`; `x` itself when it is all of it.
Expr sliced(ModelBuilder& builder, const Expr& x, const std::vector<AxisSlice>& slices, const Span& span);

/// The largest dimension and number of an attribute that is read: products of two of them are held by 64 bits.
inline constexpr int64_t kLargestSize = int64_t{1} << 31;
/// Returns a number without its fraction; throws UnsupportedUse when it is larger than kLargestSize, or no number.
int64_t whole(double number);

/// Returns `axis` counted from the front; fails with `code` when it is not in [-rank, rank).
int64_t from_front(int64_t axis, int64_t rank, const char* code, const Span& span);

/// Returns `x` converted to `dtype`; `x` itself when it has it.
Expr converted(ModelBuilder& builder, const Expr& x, DType dtype, const Span& span);

/// Returns x * factor, or `x` itself for 1; `factor` is converted to the dtype of `x`.
Expr scaled(ModelBuilder& builder, const Expr& x, double factor, const Span& span);

/// Returns a constant of rank 0; a number that the dtype does not hold is converted as `astype` would.
Expr scalar_constant(DType dtype, double value, const Span& span);
Expr integer_constant(DType dtype, int64_t value, const Span& span);
/// Returns the value that all elements of a known tensor have as a constant of rank 0; `x` itself for other tensors.
Expr uniform_as_scalar(ModelBuilder& builder, const Expr& x, const Span& span);
/// Returns an int64 vector of constants.
Expr ints_constant(const std::vector<int64_t>& values, const Span& span);
/// Returns a number, which may be symbolic, as a scalar operand: an integer of 64 bits.
Expr scalar_operand(const Scalar& value);
/// Returns an int64 tensor of rank 0 (or 1) whose elements may be symbolic.
Expr tensor_of(ModelBuilder& builder, const std::vector<Scalar>& elements, bool is_list, const Span& span);

}  // namespace sunmao
