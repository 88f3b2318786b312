// What a compilation is asked for.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "passes/runner.h"
#include "support/target.h"
#include "sym/analyzer.h"

namespace sunmao {

struct CompileOptions {
  std::vector<Target> targets = {Target::host()};  // one code image each; kernels are scheduled for the first
  /// Weights are prepared now and bound, so that the artifact is called with inputs alone. Without it the caller passes
  /// weights: raw ones as the function states them, or, where LiftTransformParams has run, what its transform gives.
  bool bind_weights = true;
  /// Bound weights are prepared by whoever loads the artifact: it has raw ones, or none (docs/parameters.md).
  bool prepare_at_load = false;
  /// What bytecode cannot express is no error: the result says which functions are to be walked in this process
  /// (compiler/compiled_executor.h).
  bool allow_walk = false;
  std::map<std::string, Interval> dims = {};  // --dim seq=1..512
  int opt_level = 3;                          // of the code generator
  RunnerOptions runner = {};
};

}  // namespace sunmao
