// NumPy broadcasting on symbolic shapes.
#pragma once
#include "ir/op.h"
#include "loop/builder.h"

namespace sunmao {

/// Returns the shape that `a` and `b` broadcast to; absent when it cannot be decided. Fails (E0303) when two aligned
/// sizes are constants that differ and neither is 1.
std::optional<std::vector<Scalar>> broadcast_shape(const InferInput& in, const std::vector<Scalar>& a,
                                                   const std::vector<Scalar>& b);

/// Maps output indices to indices into a broadcast input of shape `from`: axes are aligned at the end, and an axis of
/// size 1 is read at 0.
Indices broadcast_indices(const std::vector<Scalar>& from, const Indices& indices);

/// Maps indices of `to` to indices of `from`, whose sizes are those or 1. Where only the run knows which, the index is
/// a choice between both.
Indices repeated_indices(const std::vector<Scalar>& from, const std::vector<Scalar>& to, const Indices& indices);

/// Returns the dtype of both operands, or void when one is unknown. Fails (E0304) when they differ.
DType common_dtype(const InferInput& in, const TensorType& a, const TensorType& b);
/// Returns the device that the operands name, null when neither does. Fails (E0305) when they name different ones.
Ref<VDevice> common_vdevice(const InferInput& in, const TensorType& a, const TensorType& b);

}  // namespace sunmao
