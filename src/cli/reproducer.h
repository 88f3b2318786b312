// Reproducer: when a pass fails by a defect of ours, the module that it was given and the command that replays it.
#pragma once
#include <string>

#include "passes/runner.h"

namespace sunmao::cli {

/// Makes a run leave `sunmao-failure-<pass>.py` in the folder where it was started, when a pass throws anything but a
/// user error, breaks what --verify=each demands, changes what --validate=each compares, or ends by a signal. `target`
/// is as `--target` takes it.
void watch_for_failures(RunnerOptions& options, const std::string& target);

/// Writes the file; what to say of it. `flags` are more of the command that replays it. Never throws: what cannot be
/// written is said too.
std::string write_reproducer(const PipelineStep& step, const Module& input, const std::string& flags);

}  // namespace sunmao::cli
