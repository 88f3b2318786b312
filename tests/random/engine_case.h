// Cases for a comparison of the engines: one op of one dtype, drawn by a seed, on inputs whose sizes a run says, some
// of which do not agree, and whose indices are out of range now and then.
#pragma once
#include <vector>

#include "ir/module.h"

namespace sunmao {

struct EngineCase {
  Module module;  // `main`
  std::vector<Array> inputs;
  bool is_symbolic = false;  // a dimension that the sample knows is a symbol
};
/// The same seed gives the same case, of the claim of this seed (claims.h).
EngineCase engine_case(uint64_t seed);

}  // namespace sunmao
