// Checks of the dimensions of tensors, buffers and shapes, as far as they are known.
#pragma once
#include "support/dtype.h"
#include "sym/scalar.h"

namespace sunmao {

/// Fails (E0317) unless a tensor can have these dimensions: at most kMaxRank of them, no known one negative, and the
/// product of the nonzero known ones and the bytes of an element less than 2**63.
void check_dims(const std::vector<Scalar>& dims, DType dtype, const Span& span);

/// Returns the bytes of a tensor. Elements of less than a byte are packed.
Scalar byte_size(const std::vector<Scalar>& dims, DType dtype);

/// Checks only the rank, for a shape as a value: its numbers may be negative.
void check_rank(size_t rank, const Span& span);

}  // namespace sunmao
