// Random cases for comparing the engines: one op with one dtype, drawn from a seed, on inputs of symbolic sizes, some
// of which disagree, and with indices that are occasionally out of range.
#pragma once
#include <vector>

#include "ir/module.h"

namespace sunmao {

struct EngineCase {
  Module module;  // `main`
  std::vector<Array> inputs;
  bool is_symbolic = false;  // at least one dimension of the sample is symbolic
};
/// Returns the case of a seed, which is deterministic; its claim is that of the seed (claims.h).
EngineCase engine_case(uint64_t seed);

}  // namespace sunmao
