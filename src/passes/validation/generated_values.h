// Generated arguments for a signature, derived from a seed. Only a run shows whether a function accepts them, so there
// are several attempts with different kinds of values.
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

/// Fails (E0542) for types without generated values: callbacks, tensors of unknown rank.
CallerValues generated_values(const Caller::Signature& signature, const GeneratedOptions& options);

/// Returns the ranges of symbols that the function's attributes declare.
std::map<std::string, Interval> stated_ranges(const Function& f);

}  // namespace sunmao
