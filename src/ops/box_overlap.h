// Intersection over union of two boxes.
#pragma once
#include "ops/lowering.h"

namespace sunmao {

/// Returns coordinate i of a box: 0 and 1 are those of a corner, 2 and 3 those of the opposite corner, in the same
/// order.
using Corner = std::function<Scalar(int64_t)>;
/// Returns the area of the intersection divided by the area of the union; 0 when the union is empty.
Scalar overlap(const Corner& a, const Corner& b);

}  // namespace sunmao
