// Reproducer: after an internal failure of a pass, writes the pass's input module to a file and reports the command
// that replays it.
#pragma once
#include <string>

#include "passes/runner.h"

namespace sunmao::cli {

/// The environment variable that turns reproducers off when it is `off`, for commands that `reduce` runs many times.
inline constexpr const char* kReproducerVariable = "SUNMAO_REPRODUCER";

/// Makes a run write `sunmao-failure-<pass>.py` to the working directory when a pass fails: by an exception that is no
/// user error, by a signal (not under sanitizers), or in the checks of --verify=each or --validate=each. `target` is
/// the value of `--target`.
void watch_for_failures(RunnerOptions& options, const std::string& target);

/// Writes the file and returns a message about it: the commands that replay and reduce it, to which `flags` are added.
/// Never throws; errors are part of the message.
std::string write_reproducer(const PipelineStep& step, const Module& input, const std::string& flags);

}  // namespace sunmao::cli
