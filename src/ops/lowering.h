// Helpers shared by lowerings: conditions that evaluate one side only, arithmetic, index conversions, and lists of
// input buffers. Also the lowering of a single call.
#pragma once
#include "loop/builder.h"
#include "loop/calls.h"
#include "ops/params.h"

namespace sunmao {

/// Returns the kernel of an op call. Null when the op has no lowering, or none for this call: kernels embed scalar
/// arguments, so a scalar that is known at run time only rules them out.
Ref<BaseFunc> kernel_of(const Call& call);
/// The same by the lowering for prepared weights.
Ref<BaseFunc> prepared_kernel_of(const Call& call);

/// Returns `a` where the condition holds, else `b`; only the selected side is evaluated.
inline Scalar choose(Scalar condition, const Scalar& a, const Scalar& b) {
  return ScalarCall::make("if_then_else", a->dtype, {std::move(condition), a, b});
}
constexpr DType kInt32 = DType::int_(32), kInt64 = DType::int_(64);

/// Returns `value` in the dtype of `like`.
inline Scalar number_like(const Scalar& like, double value) { return constant(like->dtype, value); }
inline Scalar floor_of(const Scalar& x) { return intrinsic("floor", x); }
inline Scalar cast_to(DType dtype, const Scalar& x) { return x->dtype == dtype ? x : Cast::make(dtype, x); }
/// Returns the dtype in which float sums accumulate: at least 32 bits.
inline DType accumulator(DType dtype) { return dtype.bits < 32 ? DType::float_(32) : dtype; }
/// Converts a value to the index dtype, int64.
inline Scalar as_index(const Scalar& x) { return cast_to(kInt64, x); }
inline Scalar less(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::Lt, a, b); }
inline Scalar at_least(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::Ge, a, b); }
inline Scalar equals(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::Eq, a, b); }
inline Scalar both(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::And, a, b); }
inline Scalar divide(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::Div, a, b); }
inline KernelBuilder::Reduction summed(DType dtype) {
  return {constant(dtype, 0), [](const Scalar& a, const Scalar& b) { return a + b; }};
}
/// Return the least and the greatest value of a dtype (for floats the infinities): the identities of a maximum and of a
/// minimum.
Scalar lowest_of(DType dtype);
Scalar highest_of(DType dtype);
inline KernelBuilder::Reduction largest(DType dtype) {
  return {lowest_of(dtype), [](const Scalar& a, const Scalar& b) { return max(a, b); }};
}
inline KernelBuilder::Reduction smallest(DType dtype) {
  return {highest_of(dtype), [](const Scalar& a, const Scalar& b) { return min(a, b); }};
}
/// Returns exp(x) - 1, exact near 0.
Scalar exp_less_one(const Scalar& x);
/// Returns log(exp(a) + exp(b)). The larger operand is factored out so that no exponential overflows; equal operands
/// are handled apart, since the difference of equal infinities is NaN.
Scalar log_add_exp(const Scalar& a, const Scalar& b);
/// Returns one input buffer for each tensor of a tuple, or one for a tensor.
std::vector<Ref<Buffer>> inputs_of(KernelBuilder& k, const Expr& tuple);
/// Returns `at` with the index at `axis` replaced, inserted or removed.
Indices with_index(Indices at, size_t axis, Scalar index);
Indices insert_index(Indices at, size_t axis, Scalar index);
Indices without_index(Indices at, size_t axis);
/// Converts a row-major offset to indices into dimensions `shape`.
Indices split_index(Scalar place, const std::vector<Scalar>& shape);
/// Adds `size` to a negative index, which counts from the end.
Scalar from_end(const Scalar& index, const Scalar& size);
/// Returns an index checked against [0, size); the kernel of `call` fails (E0919) when it is out of bounds.
Scalar checked(const Call& call, const Scalar& index, const Scalar& size);
/// Returns `index`, plus `size` if it is negative; the kernel of `call` fails (E0919) when it is not in [-size, size).
Scalar checked_from_end(const Call& call, const Scalar& index, const Scalar& size);
/// Returns `checked_from_end` if an index below 0 counts from the end, else `checked`.
inline Scalar checked_index_of(const Call& call, const Scalar& index, const Scalar& size, bool counts_from_end) {
  return counts_from_end ? checked_from_end(call, index, size) : checked(call, index, size);
}

/// Returns the kernel `name` of ops that keep the elements of the first argument in row-major order.
Ref<BaseFunc> lower_row_major(const Call& call, const std::string& name);

}  // namespace sunmao
