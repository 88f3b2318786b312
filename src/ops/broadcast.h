// NumPy's broadcasting, on symbolic shapes.
#pragma once
#include "ir/op.h"
#include "loop/builder.h"

namespace sunmao {

/// The shape that `a` and `b` broadcast to; nullopt when it cannot be decided. Fails (E0303) when they do not fit.
std::optional<std::vector<Scalar>> broadcast_shape(const InferInput& in, const std::vector<Scalar>& a,
                                                   const std::vector<Scalar>& b);

/// Where a tensor of shape `from` is read for the output element at `indices`: aligned at the end, 0 where it has
/// size 1.
Indices broadcast_indices(const std::vector<Scalar>& from, const Indices& indices);

/// The dtype that both sides have, or void when one is unknown. Fails (E0304) when they differ.
DType common_dtype(const InferInput& in, const TensorType& a, const TensorType& b);
/// The device that both sides have where they say so. Fails (E0305) when they differ.
Ref<VDevice> common_vdevice(const InferInput& in, const TensorType& a, const TensorType& b);

}  // namespace sunmao
