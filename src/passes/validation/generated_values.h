// Generates arguments for a signature from a seed. Whether a function accepts them shows only when it runs, so there
// are several attempts, each with another kind of values.
#pragma once
#include <map>
#include <string>

#include "passes/validation/caller.h"
#include "sym/analyzer.h"

namespace sunmao {

struct GeneratedOptions {
  uint64_t seed = 0;
  int attempt = 0;                          // less than kGeneratedAttempts
  std::map<std::string, Interval> ranges;   // ranges of symbols, by name
  std::map<std::string, Array> known = {};  // given weights, by parameter name
};
inline constexpr int kGeneratedAttempts = 12;

/// Returns values for a signature. Fails (E0542) for types that cannot be generated: callbacks, tensors of unknown
/// rank.
CallerValues generated_values(const Caller::Signature& signature, const GeneratedOptions& options);

/// Returns the ranges that the function's attributes declare for symbols, by name.
std::map<std::string, Interval> stated_ranges(const Function& f);

}  // namespace sunmao
