// Rules: what a scalar is the same as and may be rewritten to. A table of patterns; the Analyzer applies it where sums
// of products say nothing: to minima and maxima, remainders, comparisons, logic, selection.
#pragma once
#include <vector>

#include "sym/scalar.h"

namespace sunmao {

/// `from` is the same as `to`, while nothing wraps around, for all integers x and y, all constants a and b for which
/// `when` (null: always) holds, and all conditions p and q. Division by zero has no value, so nothing is claimed of it.
struct Rule {
  const char* name;
  Scalar from, to, when;
};

/// In the order in which they are tried. None leads back to where another one began.
const std::vector<Rule>& simplification_rules();

/// What the first rule that matches at the root makes of `s`; null when none does. A rule whose constants would not fit
/// the type of `s` does not match. Operands of commutative operations
/// match in either order.
Scalar apply_rules(const Scalar& s);

}  // namespace sunmao
