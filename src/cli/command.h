// The commands of `sunmao`, each in a file of its own; command_line.cpp registers and dispatches them.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace sunmao::cli {

// Exit statuses; docs/command_line.md lists them.
constexpr int kSuccess = 0;
constexpr int kFailure = 1;         // the input or model is invalid, or results differ
constexpr int kUsage = 2;           // the command line is invalid: errors E000x
constexpr int kUnsupported = 3;     // the model uses ops that cannot be read: errors E0604, E0707, E0708
constexpr int kInternalError = 70;  // a bug in Sunmao

struct Command {
  CLI::App* app;             // its options write to variables that `run` reads
  std::function<int()> run;  // returns the exit status; throws UserError
};

Command add_compile(CLI::App& app);
Command add_run(CLI::App& app);
Command add_profile(CLI::App& app);
Command add_tune(CLI::App& app);
Command add_opt(CLI::App& app);
Command add_inspect(CLI::App& app);
Command add_transform_params(CLI::App& app);
Command add_diff(CLI::App& app);
Command add_bench(CLI::App& app);
Command add_view(CLI::App& app);
Command add_size(CLI::App& app);
Command add_check(CLI::App& app);
Command add_reduce(CLI::App& app);
Command add_explain(CLI::App& app);
Command add_completion(CLI::App& app);

}  // namespace sunmao::cli
