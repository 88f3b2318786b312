// The sequences of passes that are run on a random module, with the arguments of the passes.
#pragma once
#include "passes/pass_arguments.h"
#include "tests/random/random_module.h"

namespace sunmao {

struct PassRun {
  std::vector<PassCall> calls;

  /// Returns the strongest effect on results that the passes declare.
  Effect effect() const;
  /// Returns the passes with their arguments, in the syntax of the command line.
  std::string text() const;
};

/// Returns the pass sequences for a module: each pass that accepts the module, preceded by the passes it needs; lifting
/// before and after other passes; and a sequence of passes drawn by `seed`.
std::vector<PassRun> pass_runs(const RandomModule& m, uint64_t seed);

}  // namespace sunmao
