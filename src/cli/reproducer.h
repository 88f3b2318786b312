// Reproducer: when a pass fails by a defect of ours, the module that it was given and the command that replays it.
#pragma once
#include <string>

#include "passes/runner.h"

namespace sunmao::cli {

/// Makes a run leave `sunmao-failure-<pass>.py` in the folder where it was started, when a pass throws anything but a
/// user error, breaks what --verify=each demands, or ends by a signal. `target` is as `--target` takes it.
void watch_for_failures(RunnerOptions& options, std::string target);

/// Writes the file; what to say of it. Never throws: what cannot be written is said too.
std::string write_reproducer(const PipelineStep& step, const Module& input, bool verify_each,
                             const std::string& target);

}  // namespace sunmao::cli
