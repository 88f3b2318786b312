// The length of a vector as a scalar: `8`, or `T.vscale() * 4` where the machine's registers decide.
#pragma once
#include <optional>

#include "sym/scalar.h"

namespace sunmao {

/// How many lanes a length asks for; nullopt where it is neither a number nor a multiple of `vscale`.
std::optional<Lanes> find_lanes(const Scalar& length);
/// The length that `find_lanes` reads as `lanes`.
Scalar length_of(Lanes lanes);

}  // namespace sunmao
