// Generated values: arguments that fit a signature, made from a seed. Whether a run accepts them only the run tells, so
// there are several attempts, each of another kind.
#pragma once
#include <map>
#include <string>

#include "passes/validation/caller.h"
#include "sym/analyzer.h"

namespace sunmao {

struct GeneratedOptions {
  uint64_t seed = 0;
  int attempt = 0;                          // below kGeneratedAttempts
  std::map<std::string, Interval> ranges;   // of symbols, by name
  std::map<std::string, Array> known = {};  // values of weights, by the names of their parameters
};
inline constexpr int kGeneratedAttempts = 12;

/// Fails (E0542) for a type of which no value can be made up: a callback, a tensor of unknown rank.
CallerValues generated_values(const Caller::Signature& signature, const GeneratedOptions& options);

/// The ranges that a function states of its symbols.
std::map<std::string, Interval> stated_ranges(const Function& f);

}  // namespace sunmao
