// How much two boxes overlap.
#pragma once
#include "ops/lowering.h"

namespace sunmao {

/// The i-th of a box's four coordinates: two opposite corners in either order.
using Corner = std::function<Scalar(int64_t)>;
/// What two boxes share of what they cover together.
Scalar overlap(const Corner& a, const Corner& b);

}  // namespace sunmao
