// The pass sequences that a random module is run through, with arguments of the passes.
#pragma once
#include "passes/pass_arguments.h"
#include "tests/random/random_module.h"

namespace sunmao {

struct PassRun {
  std::vector<PassCall> calls;

  /// Returns the combined effect that the passes may have on results.
  Effect effect() const;
  /// Returns the passes with their arguments, in the syntax of the command line.
  std::string text() const;
};

/// Returns each pass alone, preceded by the passes it needs, except passes that reject the module; lifting before and
/// after other passes; and a sequence of passes drawn by `seed`.
std::vector<PassRun> pass_runs(const RandomModule& m, uint64_t seed);

}  // namespace sunmao
