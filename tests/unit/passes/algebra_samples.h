// Programs that algebraic rules change, and near ones that they leave.
#pragma once
#include <string>
#include <vector>

namespace sunmao {

/// Steps on `x` and `y` of a shape and dtype, and `c` of that shape and bool; `; ` parts them, the last is the result.
/// SHAPE and DTYPE stand for those; `n` is a symbol.
struct AlgebraSample {
  const char* rule;
  const char* steps;
  std::vector<std::string> dtypes;
  std::vector<std::string> shapes;
};

const std::vector<AlgebraSample>& algebra_samples();
const std::vector<AlgebraSample>& algebra_refusals();

}  // namespace sunmao
