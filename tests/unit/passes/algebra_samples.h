// Samples for algebraic rules: programs that a rule changes, and similar ones that it leaves unchanged.
#pragma once
#include <string>
#include <vector>

namespace sunmao {

/// Steps on `x` and `y` of one shape and dtype, and `c` of that shape and bool, separated by `; `; the last one is the
/// result. SHAPE and DTYPE are placeholders for shape and dtype; `n` is a symbol.
struct AlgebraSample {
  const char* rule;
  const char* steps;
  std::vector<std::string> dtypes;
  std::vector<std::string> shapes;
};

const std::vector<AlgebraSample>& algebra_samples();
const std::vector<AlgebraSample>& algebra_refusals();

}  // namespace sunmao
