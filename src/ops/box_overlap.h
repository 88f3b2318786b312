// Intersection over union of two boxes.
#pragma once
#include "ops/lowering.h"

namespace sunmao {

/// Returns coordinate i (0 to 3) of a box: two opposite corners in either order.
using Corner = std::function<Scalar(int64_t)>;
/// Returns the area of the intersection divided by the area of the union.
Scalar overlap(const Corner& a, const Corner& b);

}  // namespace sunmao
