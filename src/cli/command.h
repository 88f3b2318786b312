// Commands of `sunmao`, one file each; command_line.cpp lists and dispatches them.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace sunmao::cli {

// Exit statuses; docs/command_line.md lists them.
constexpr int kSuccess = 0;
constexpr int kFailure = 1;         // the input, the model or the numbers are wrong
constexpr int kUsage = 2;           // the command line is wrong: errors E000x
constexpr int kInternalError = 70;  // a defect of Sunmao

struct Command {
  CLI::App* app;             // its options write into what `run` reads
  std::function<int()> run;  // the exit status; throws UserError
};

Command add_compile(CLI::App& app);
Command add_run(CLI::App& app);
Command add_opt(CLI::App& app);
Command add_inspect(CLI::App& app);
Command add_transform_params(CLI::App& app);
Command add_explain(CLI::App& app);

}  // namespace sunmao::cli
