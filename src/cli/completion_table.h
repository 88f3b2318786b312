// What a shell can complete on the command line, read from the commands and options that the parser knows.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace sunmao::cli {

/// What may stand in one place: a value of an option, or an argument of a command.
struct CompletionValue {
  std::vector<std::string> words = {};       // one of these
  bool is_list = false;                      // several of them, with commas between
  bool is_file = false;                      // a file
  std::vector<std::string> extensions = {};  // with one of these extensions; none: any
  bool is_folder = false;
};

struct CompletionOption {
  std::vector<std::string> names = {};  // `-o`, `--output`
  std::string summary = {};
  bool takes_value = false;
  CompletionValue value = {};
};

struct CompletionCommand {
  std::string name = {};
  std::string summary = {};
  std::vector<CompletionOption> options = {};
  CompletionValue argument = {};
};

/// Returns the options of `sunmao` itself, as a command without a name, and then its commands.
std::vector<CompletionCommand> completion_table(const CLI::App& app);

}  // namespace sunmao::cli
