// What the dimensions of a tensor, a buffer or a shape may be, as far as they are known.
#pragma once
#include "support/dtype.h"
#include "sym/scalar.h"

namespace sunmao {

/// E0317 unless a tensor can have these dimensions: not too many, none of the known ones below 0, the bytes of all
/// known ones within 63 bits.
void check_dims(const std::vector<Scalar>& dims, DType dtype, const Span& span);

/// The same of a shape, which may be asked for and not be had: -1 stands for what is left, and the bytes are not
/// counted.
void check_shape_values(const std::vector<Scalar>& values, const Span& span);

}  // namespace sunmao
