// The options about passes that `compile`, `opt` and `run` share.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "passes/runner.h"

namespace sunmao::cli {

struct PassOptions {
  std::vector<std::string> disabled;
  std::vector<std::string> dump_after;
  std::vector<std::string> explain;
  std::string stop_after;
  std::string verify = "end", validate;
  uint64_t validate_seed = 0;
  bool timing = false;
};

void add_pass_options(CLI::App& app, PassOptions& options);
/// What the runner is told; dumps go to standard error as script, and so do reasons and notices.
RunnerOptions runner_options(const PassOptions& options);
/// The table that `--timing` prints.
std::string timing_table(const std::vector<PassTiming>& timings);

/// An option that takes one value each time it is given.
CLI::Option* add_repeated(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                          const std::string& help);

}  // namespace sunmao::cli
