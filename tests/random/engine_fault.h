// Runs one case by both engines, evaluator and compiled code: both must give the same results or reject the case with
// the same code, apart from errors that only compiling may report.
#pragma once
#include <cstdint>
#include <string>

#include "tests/random/engine_case.h"

namespace sunmao {

enum class Outcome : uint8_t { Unknown, Computed, Refused, NotCompiled, Fault };

struct EngineResult {
  Outcome outcome = Outcome::Unknown;
  std::string fault = {};  // the difference
};
EngineResult compare_engines(uint64_t seed, const EngineCase& drawn, const std::string& target = "host");

/// Returns the script of a case and the first elements of each input.
std::string describe(const EngineCase& drawn);

}  // namespace sunmao
