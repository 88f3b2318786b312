// The length of a vector as a scalar: `8`, or `T.vscale() * 4` for scalable vectors.
#pragma once
#include <optional>

#include "sym/scalar.h"

namespace sunmao {

/// Returns the lanes denoted by a length: a number or a multiple of `vscale`, with a count from 1 to 65535; nullopt for
/// any other.
std::optional<Lanes> find_lanes(const Scalar& length);
/// Inverse of `find_lanes`.
Scalar length_of(Lanes lanes);

}  // namespace sunmao
