#include "cli/completion_table.h"

#include "cli/error_pages.h"
#include "passes/pass.h"

namespace sunmao::cli {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::vector<std::string> pass_names() {
  std::vector<std::string> out;
  for (const Pass& pass : all_passes()) out.emplace_back(pass.name);
  return out;
}

/// Returns the members of a set as the parser describes it, `WHEN:{compile,load}`; none where there is no set.
std::vector<std::string> members_of(const std::string& type) {
  const size_t begin = type.find(":{"), end = type.rfind('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 2, end - begin - 2), ',');
}

/// Options say in the name of their type what they take.
CompletionValue completion_value_of(const std::string& type) {
  CompletionValue value;
  value.words = members_of(type);
  if (type.starts_with("PASS")) value.words = pass_names();
  value.is_list = type.ends_with(",...");
  value.is_folder = type == "FOLDER";
  value.is_file = type.starts_with("FILE");
  if (const size_t dot = type.find('.'); value.is_file && dot != std::string::npos)
    value.extensions = {type.substr(dot + 1)};
  return value;
}

/// An argument is a word of a set, a name that `explain` knows, or else a model.
CompletionValue argument_of(const CLI::Option& argument) {
  CompletionValue value = completion_value_of(argument.get_type_name());
  if (!value.words.empty()) return value;
  if (argument.get_name() == "CODE") {
    value.words = pass_names();
    for (const ErrorPage& page : error_pages()) value.words.emplace_back(page.code);
    return value;
  }
  value.is_file = true;
  value.extensions = {"onnx", "pt2", "py", "sunmao"};
  return value;
}

CompletionCommand command_of(const CLI::App& app, const std::string& name) {
  CompletionCommand command{.name = name, .summary = first_line(app.get_description())};
  for (const CLI::Option* o : app.get_options()) {
    if (o->get_positional()) {
      command.argument = argument_of(*o);
      continue;
    }
    CompletionOption option{.summary = first_line(o->get_description())};
    for (const std::string& n : o->get_snames()) option.names.push_back("-" + n);
    for (const std::string& n : o->get_lnames()) option.names.push_back("--" + n);
    option.takes_value = o->get_items_expected_max() > 0;
    if (option.takes_value) option.value = completion_value_of(o->get_type_name());
    command.options.push_back(std::move(option));
  }
  return command;
}

}  // namespace

std::vector<CompletionCommand> completion_table(const CLI::App& app) {
  std::vector<CompletionCommand> out = {command_of(app, "")};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    out.push_back(command_of(*command, command->get_name()));
  return out;
}

}  // namespace sunmao::cli
