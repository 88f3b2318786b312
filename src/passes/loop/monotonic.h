// Conditions that need no test at each iteration of a loop.
#pragma once
#include "sym/scalar.h"

namespace sunmao {

/// True for comparisons of linear sides, or of sides that divide and have each symbol once: what holds at the ends of a
/// loop holds between them.
bool is_monotonic(const Scalar& condition);

}  // namespace sunmao
