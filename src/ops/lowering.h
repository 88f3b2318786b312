// What many lowerings write: conditions that read one side only, indices of another dtype, lists of inputs.
#pragma once
#include "loop/builder.h"
#include "loop/calls.h"
#include "ops/params.h"

namespace sunmao {

/// The kernel of a call of an op. Null where the op has none, or not for what is known of this call: kernels hold
/// scalars as numbers, so one that only a run knows rules them out.
Ref<BaseFunc> kernel_of(const Call& call);

/// `a` where the condition holds, else `b`; the other side is not evaluated.
inline Scalar choose(Scalar condition, const Scalar& a, const Scalar& b) {
  return ScalarCall::make("if_then_else", a->dtype, {std::move(condition), a, b});
}
constexpr DType kInt32 = DType::int_(32), kInt64 = DType::int_(64);

/// `value` in the dtype of `like`.
inline Scalar number_like(const Scalar& like, double value) { return constant(like->dtype, value); }
inline Scalar floor_of(const Scalar& x) { return intrinsic("floor", x); }
inline Scalar cast_to(DType dtype, const Scalar& x) { return x->dtype == dtype ? x : Cast::make(dtype, x); }
/// What numbers of a float dtype are summed up in: 32 bits at least.
inline DType accumulator(DType dtype) { return dtype.bits < 32 ? DType::float_(32) : dtype; }
/// A value as an index: int64.
inline Scalar as_index(const Scalar& x) { return cast_to(kInt64, x); }
inline Scalar less(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::Lt, a, b); }
inline Scalar at_least(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::Ge, a, b); }
inline Scalar equals(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::Eq, a, b); }
inline Scalar both(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::And, a, b); }
inline Scalar divide(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::Div, a, b); }
inline KernelBuilder::Reduction summed(DType dtype) {
  return {constant(dtype, 0), [](const Scalar& a, const Scalar& b) { return a + b; }};
}
/// The least value of a dtype: what a maximum over nothing is.
Scalar lowest_of(DType dtype);
Scalar highest_of(DType dtype);
inline KernelBuilder::Reduction largest(DType dtype) {
  return {lowest_of(dtype), [](const Scalar& a, const Scalar& b) { return max(a, b); }};
}
inline KernelBuilder::Reduction smallest(DType dtype) {
  return {highest_of(dtype), [](const Scalar& a, const Scalar& b) { return min(a, b); }};
}
/// One buffer for each tensor of a tuple.
std::vector<Ref<Buffer>> inputs_of(KernelBuilder& k, const Expr& tuple);
/// `at` with the index at `axis` replaced, inserted or taken out.
Indices with_index(Indices at, size_t axis, Scalar index);
Indices insert_index(Indices at, size_t axis, Scalar index);
Indices without_index(Indices at, size_t axis);
/// The indices into dimensions `shape` of the element at `place` in their order.
Indices split_index(Scalar place, const std::vector<Scalar>& shape);
/// An index below 0 counts from the end.
Scalar from_end(const Scalar& index, const Scalar& size);
/// A number of a tensor as an index into `size` elements; the kernel of `call` fails (E0919) where it is none.
Scalar checked(const Call& call, const Scalar& index, const Scalar& size);
/// The same, counted from the end below 0.
Scalar checked_from_end(const Call& call, const Scalar& index, const Scalar& size);

}  // namespace sunmao
