// The pass runner: runs passes in order, with timing, dumps and verification. Verification checks that a pass leaves
// its input unchanged, is deterministic, and idempotent where declared; that the facts that it needs hold if it changes
// the module, and those that it ensures if it ran without arguments; and the stage of its result.
#pragma once
#include <functional>
#include <set>
#include <string>

#include "ir/verify.h"
#include "passes/pass.h"
#include "passes/validation/validator.h"

namespace sunmao {

/// A step of a pipeline: a pass, its arguments, and the lowest stage that its result must have.
struct PipelineStep {
  const Pass* pass;
  Stage stage;
  AttrMap arguments = {};
};

struct RunnerOptions {
  /// Verifies each pass as above: its result must have the step's stage, and keep the highest stage of its input unless
  /// the pass's record says that it breaks that stage.
  bool verify_each = false;
  /// Compares the results of functions before and after each pass (passes/validation/validator.h).
  bool validate_each = false;
  ValidationOptions validation = {};
  /// Called at the end of a run without differences between the compared results.
  std::function<void(const Validator& validator)> on_validated = {};
  std::set<std::string> disabled = {};
  std::set<std::string> dump_after = {};  // "all" for every pass
  std::string stop_after = {};
  std::set<std::string> explain = {};
  /// Receives the explanations of the passes in `explain`, one line per call.
  std::function<void(const std::string& line)> on_explain = {};
  /// Receives notices of passes: remarks for the user that are not errors.
  std::function<void(const std::string& text)> on_notice = {};
  /// Receives each dump, the pass's name and the module; the callee prints.
  std::function<void(const std::string& pass, const Module& module)> on_dump = {};
  /// `on_begin` is called before each pass; `on_end` after it, also when the pass fails.
  std::function<void(const PipelineStep& step, const Module& input)> on_begin = {};
  std::function<void()> on_end = {};
  /// Called when the last begun pass fails other than by a user error or bad_alloc, or changes the module's results;
  /// the text that it returns is appended to the error.
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

/// Fails (E0511) when `disabled`, `dump_after`, `stop_after` or `explain` names no pass, or `explain` a pass without
/// explanations. An exception other than a user error or bad_alloc is rethrown as an InternalError that names the pass.
RunReport run_passes(const Module& module, const std::vector<PipelineStep>& steps, const PassContext& context,
                     const RunnerOptions& options);

}  // namespace sunmao
