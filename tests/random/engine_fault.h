// One case, evaluated and compiled: whether both give the same, or refuse it with the same code.
#pragma once
#include <cstdint>
#include <string>

#include "tests/random/engine_case.h"

namespace sunmao {

enum class Outcome : uint8_t { Unknown, Computed, Refused, NotCompiled, Fault };

struct EngineResult {
  Outcome outcome = Outcome::Unknown;
  std::string fault = {};  // what differs
};
EngineResult compare_engines(uint64_t seed, const EngineCase& drawn);

/// The script of a case and its inputs, the first elements of each.
std::string describe(const EngineCase& drawn);

}  // namespace sunmao
