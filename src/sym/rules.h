// Rewrite rules for scalars that are not sums of products: minima and maxima, remainders, comparisons, logic,
// selection. The Analyzer applies them.
#pragma once
#include <vector>

#include "sym/scalar.h"

namespace sunmao {

/// `from` equals `to` in the absence of overflow, for all integers x and y, all constants a and b that satisfy `when`
/// (null: all), and all conditions p and q. Division by zero is undefined, so rules may assume that it does not occur.
struct Rule {
  const char* name;
  Scalar from, to, when;
};

/// Returns the rules in the order in which they are tried. No sequence of rules leads back to its start.
const std::vector<Rule>& simplification_rules();

/// Applies the first rule that matches at the root of `s`; null when none does. A rule whose constants do not fit the
/// dtype of `s` does not match. Operands of commutative operations match in either order.
Scalar apply_rules(const Scalar& s);

}  // namespace sunmao
