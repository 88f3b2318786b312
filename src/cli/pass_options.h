// Options for passes, shared by `compile`, `opt`, `run` and `transform-params`.
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
/// Returns runner options; dumps (as scripts), explanations and notices are printed to standard error.
RunnerOptions runner_options(const PassOptions& options);
/// Returns the table printed by `--timing`.
std::string timing_table(const std::vector<PassTiming>& timings);

/// Adds an option that may be given several times, with one value each.
CLI::Option* add_repeated(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                          const std::string& help);

}  // namespace sunmao::cli
