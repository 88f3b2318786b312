// What the dimensions of a tensor, a buffer or a shape may be, as far as they are known.
#pragma once
#include "support/dtype.h"
#include "sym/scalar.h"

namespace sunmao {

/// E0317 unless a tensor can have these dimensions: not too many, none of the known ones below 0, the bytes of all
/// known ones within 63 bits.
void check_dims(const std::vector<Scalar>& dims, DType dtype, const Span& span);

/// The first of these alone, for a shape as a value: its numbers are those of scalars, and may be below 0.
void check_rank(size_t rank, const Span& span);

}  // namespace sunmao
