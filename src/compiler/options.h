// What a compilation is asked for.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "passes/loop/unroll_loops.h"
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
  UnrollOptions unroll = {};
  RunnerOptions runner = {};
  /// Asked between passes and between kernels, from the thread that compiles; where it says yes, Cancelled is thrown.
  std::function<bool()> is_cancelled = {};
};

/// Nobody waits for the result of a compilation any more.
struct Cancelled {};

/// Throws Cancelled when it is so.
inline void check_cancelled(const CompileOptions& options) {
  if (options.is_cancelled && options.is_cancelled()) throw Cancelled();
}

}  // namespace sunmao
