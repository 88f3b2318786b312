// Random cases for comparing the evaluator with compiled code. A case is one op in one dtype, drawn from a seed. Its
// inputs have symbolic sizes, some of which disagree, and its indices are sometimes out of range.
#pragma once
#include <vector>

#include "ir/module.h"

namespace sunmao {

struct EngineCase {
  Module module;  // `main`
  std::vector<Array> inputs;
  bool is_symbolic = false;  // at least one dimension of the sample is symbolic
};
/// Returns the case of a seed; the same seed always gives the same case. Its op and dtype are the claim of the seed
/// (claims.h).
EngineCase engine_case(uint64_t seed);

}  // namespace sunmao
