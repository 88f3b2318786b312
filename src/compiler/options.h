// Options of a compilation.
#pragma once
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/kernels.h"
#include "passes/loop/unroll_loops.h"
#include "passes/runner.h"
#include "passes/schedule/tuning.h"
#include "support/phase_timer.h"
#include "sym/analyzer.h"
#include "target/target.h"

namespace sunmao {

struct CompileOptions {
  std::vector<Target> targets = {Target::host()};  // one code image each; the passes plan for the best
  /// Prepares weights and binds them, so that the artifact takes only inputs. Otherwise callers pass weights: the raw
  /// ones or, after LiftTransformParams, the results of the weight transform.
  bool bind_weights = true;
  /// Bound weights are prepared when the artifact is loaded; it contains the raw weights, or none (docs/parameters.md).
  bool prepare_at_load = false;
  /// State (passes/analysis/state_params.h) lives in sessions. Otherwise callers pass it and get it.
  bool keep_state = false;
  /// The artifact has all kernels that the module's functions call, and no bytecode (compiler/kernel_library.h).
  bool kernels_alone = false;
  /// Object files whose functions the artifact has: kernels of ops that the module calls by their names.
  std::vector<OpObject> objects = {};
  std::map<std::string, Interval> dims = {};  // ranges of symbols, such as --dim seq=1..512
  /// How much more bytes prepared weights may take than raw ones: 0.05 is five percent more.
  double max_growth = std::numeric_limits<double>::infinity();
  /// The file that the artifact is written to, in place of what is there; empty: memory.
  std::string output = {};
  int opt_level = 3;  // optimization level of code generation
  /// The type in which products and convolutions of float32 read their operands: float32, or bfloat16.
  DType products = DType::float_(32);
  UnrollOptions unroll = {};
  TunedPlans tuning = {};  // which plans kernels take (compiler/tuning/tuning_database.h)
  RunnerOptions runner = {};
  OnPhase on_phase = {};        // receives the phases other than passes, each as it ends
  OnProgress on_progress = {};  // receives how far code generation and the preparation of weights have got
  /// Polled from the compiling thread before passes and while kernels are lowered and compiled; Cancelled is thrown
  /// when it returns true.
  std::function<bool()> is_cancelled = {};
};

/// Thrown when a compilation is cancelled.
struct Cancelled {};

/// Throws Cancelled when `is_cancelled` returns true.
inline void check_cancelled(const CompileOptions& options) {
  if (options.is_cancelled && options.is_cancelled()) throw Cancelled();
}

}  // namespace sunmao
