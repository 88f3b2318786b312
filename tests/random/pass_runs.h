// How a random module goes through the passes: in which order, and what each is given.
#pragma once
#include "passes/pass_arguments.h"
#include "tests/random/random_module.h"

namespace sunmao {

struct PassRun {
  std::vector<PassCall> calls;

  /// What they may do to the results, all together.
  Effect effect() const;
  /// The passes with their arguments, as the command line has them.
  std::string text() const;
};

/// Every pass alone, behind what it needs; lifting before and after others; and a few passes in an order drawn by
/// `seed`.
std::vector<PassRun> pass_runs(const RandomModule& m, uint64_t seed);

}  // namespace sunmao
