// The pass runner: runs passes in order and watches them: timing, dumps, verification, and that a pass leaves its input
// alone, gives the same result twice, is idempotent where it says so, needs and ensures what it says, and keeps the
// stage that the module has reached.
#pragma once
#include <functional>
#include <set>
#include <string>

#include "ir/verify.h"
#include "passes/pass.h"
#include "passes/validation/validator.h"

namespace sunmao {

/// A pass in a pipeline: what it is called, what it does, and the stage that its result is in at least.
struct PipelineStep {
  const Pass* pass;
  Stage stage;
  AttrMap arguments = {};
};

struct RunnerOptions {
  /// Each result is verified at the step's stage, and at the strongest one that the module before it is fit for, unless
  /// the pass breaks that.
  bool verify_each = false;
  /// What functions give is compared before and after each pass (passes/validation/validator.h).
  bool validate_each = false;
  ValidationOptions validation = {};
  /// Told at the end of a run in which all that could be compared was alike.
  std::function<void(const Validator& validator)> on_validated = {};
  std::set<std::string> disabled = {};
  std::set<std::string> dump_after = {};  // "all" for every pass
  std::string stop_after = {};
  std::set<std::string> explain = {};
  /// Told what passes in `explain` say, a line at a time.
  std::function<void(const std::string& line)> on_explain = {};
  /// Told what passes want users to know although nothing is wrong.
  std::function<void(const std::string& text)> on_notice = {};
  /// Given each dump: the pass's name and the module. The caller prints.
  std::function<void(const std::string& pass, const Module& module)> on_dump = {};
  /// Told of each pass before it runs, and when it is through, also by an error.
  std::function<void(const PipelineStep& step, const Module& input)> on_begin = {};
  std::function<void()> on_end = {};
  /// Asked when the pass that began last fails otherwise than by a user error, or when it changes what the module
  /// gives; what it says joins the error.
  std::function<std::string()> on_failure = {};
};

struct PassTiming {
  std::string name;
  double milliseconds;
  bool changed;
};

struct RunReport {
  Module module;
  std::vector<PassTiming> timings;
  bool stopped = false;  // `stop_after` was reached
};

/// Fails (E0511) when `disabled`, `dump_after`, `stop_after` or `explain` names no pass, or `explain` one that has
/// nothing to tell. An exception other than a user error
/// leaves with the pass's name in front.
RunReport run_passes(const Module& module, const std::vector<PipelineStep>& steps, const PassContext& context,
                     const RunnerOptions& options);

}  // namespace sunmao
