#include "ops/box_overlap.h"

#include "ops/statements.h"

namespace sunmao {

Scalar overlap(const Corner& a, const Corner& b) {
  Scalar zero = constant(a(0)->dtype, 0);
  auto low = [](const Corner& box, int64_t axis) { return min(box(axis), box(axis + 2)); };
  auto high = [](const Corner& box, int64_t axis) { return max(box(axis), box(axis + 2)); };
  auto shared = [&](int64_t axis) {
    return max(zero, min(high(a, axis), high(b, axis)) - max(low(a, axis), low(b, axis)));
  };
  auto area = [&](const Corner& box) { return (high(box, 0) - low(box, 0)) * (high(box, 1) - low(box, 1)); };
  Scalar common = shared(0) * shared(1), covered = area(a) + area(b) - common;
  return Select::make(at_most(covered, zero), zero, divide(common, covered));
}

}  // namespace sunmao
