#include "cli/command_line.h"

#include <new>
#include <sstream>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/ending_signals.h"
#include "cli/error_report.h"
#include "support/diagnostic.h"
#include "support/spelling.h"
#include "support/version.h"

namespace sunmao::cli {
namespace {

constexpr const char* kCommandExamples = R"(Examples:
  sunmao compile model.onnx -o model.sunmao --dim batch=1..64
  sunmao run model.sunmao --input x=x.npy --output y.safetensors
  sunmao bench model.sunmao --batch 1,8 --threads 1,2
  sunmao profile model.sunmao --trace trace.json
  sunmao tune model.onnx -o model.tuning
  sunmao transform-params model.onnx -o prepared.safetensors
  sunmao opt model.pt2 --stop-after lift-transform-params
  sunmao inspect model.sunmao
  sunmao diff model.onnx model.pt2
  sunmao view model.onnx -o model.html
  sunmao size model.sunmao
  sunmao check model.onnx
  sunmao reduce model.onnx --fails compile
  sunmao explain E0801
  sunmao completion bash

Exit status: 0 success, 1 a model, file or number is wrong, 2 the command line is wrong, 3 a model has ops that
are not read, 70 a defect of Sunmao, 130 an interrupt.
`sunmao COMMAND --help` says what a command takes.)";

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* o : app.get_options())
    for (const std::string& n : o->get_lnames()) names.push_back("--" + n);
  return names;
}

// Reports the first unexpected argument, with similar option names.
[[noreturn]] void fail_on_extra(const CLI::App& app, const std::string& command) {
  const std::vector<std::string> extra = app.remaining(true);
  const std::string word = extra.empty() ? std::string() : extra.front().substr(0, extra.front().find('='));
  std::string help = did_you_mean(word, option_names(app));
  if (help.empty()) help = fmt::format("`sunmao {} --help` lists what it takes", command);
  fail("E0001", {}, fmt::format("{}: `{}` is not expected here", command, word), help);
}

// Parses the command line; errors of CLI11 are reported as user errors.
void parse(CLI::App& app, const std::vector<Command>& commands, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success&) {
    throw;  // --help and --version
  } catch (const CLI::ParseError& e) {
    for (const Command& c : commands) {
      if (!c.app->parsed()) continue;
      const bool is_extra = e.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
      if (is_extra) fail_on_extra(*c.app, c.app->get_name());
      fail("E0001", {}, fmt::format("{}: {}", c.app->get_name(), e.what()),
           fmt::format("`sunmao {} --help` lists what it takes", c.app->get_name()));
    }
    fail("E0001", {}, e.what(), "`sunmao --help` lists the commands");
  }
}

// Rejects empty option values (E0002), since commands interpret an empty string as not given.
void check_not_empty(const CLI::App& app) {
  for (const CLI::Option* o : app.get_options())
    for (const std::string& value : o->results())
      if (value.empty())
        fail("E0002", {}, fmt::format("{}: `{}` is empty", app.get_name(), o->get_name()),
             fmt::format("give it a value, or leave it out; `sunmao {} --help` lists what it takes", app.get_name()));
}

void check_command(const std::vector<Command>& commands, int argc, char** argv) {
  if (argc < 2) fail("E0001", {}, "no command is given", "`sunmao --help` lists the commands");
  const std::string word = argv[1];
  std::vector<std::string> names;
  for (const Command& c : commands) names.push_back(c.app->get_name());
  if (word.starts_with("-") || std::ranges::find(names, word) != names.end()) return;
  std::string help = did_you_mean(word, names);
  if (help.empty()) help = "`sunmao --help` lists the commands";
  fail("E0001", {}, fmt::format("there is no command `{}`", word), help);
}

int dispatch(CLI::App& app, int argc, char** argv) {
  app.footer(kCommandExamples);
  app.set_version_flag("--version", fmt::format("sunmao {}", kVersion), "print the version");
  app.set_help_flag("-h,--help", "print this help");
  app.require_subcommand(1);
  const std::vector<Command> commands = {add_compile(app), add_run(app),        add_bench(app),
                                         add_profile(app), add_tune(app),       add_transform_params(app),
                                         add_opt(app),     add_inspect(app),    add_view(app),
                                         add_size(app),    add_diff(app),       add_check(app),
                                         add_reduce(app),  add_completion(app), add_explain(app)};
  check_command(commands, argc, argv);
  parse(app, commands, argc, argv);
  for (const Command& c : commands)
    if (c.app->parsed()) {
      check_not_empty(*c.app);
      return c.run();
    }
  return kUsage;
}

// Runs the command, or prints the text of --help and --version, for which CLI11 throws Success.
int dispatch_or_help(CLI::App& app, int argc, char** argv) {
  try {
    return dispatch(app, argc, argv);
  } catch (const CLI::Success& e) {
    std::ostringstream text;
    const int status = app.exit(e, text, text);
    write_out(text.str());
    return status;
  }
}

int status_of(const UserError& error) {
  const std::string& code = error.diagnostics().front().code;
  if (code.starts_with("E000")) return kUsage;
  return code == "E0604" || code == "E0707" || code == "E0708" ? kUnsupported : kFailure;
}

/// True when the command that was given takes --json and got it.
bool wants_json(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands())
    if (const CLI::Option* json = command->get_option_no_throw("--json")) return json->count() > 0;
  return false;
}

int report_internal(const std::string& text) {
  const bool is_told = text.find("this is a bug") != std::string::npos;
  write_err(fmt::format("{}{}\n", text.starts_with("internal error") ? "" : "internal error: ", text) +
            (is_told ? "" : "this is a bug\n"));
  return kInternalError;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  const EndingSignals signals;
  CLI::App app("Sunmao compiles a trained model into one small file, and runs it.", "sunmao");
  try {
    return dispatch_or_help(app, argc, argv);
  } catch (const UserError& e) {
    for (const Diagnostic& d : e.diagnostics()) write_err(render(d, {.color = has_color(stderr)}));
    const int status = status_of(e);
    if (status == kUnsupported && wants_json(app)) write_out(error_json(e));
    return status;
  } catch (const std::bad_alloc&) {
    write_err("error: out of memory\n");
    return kFailure;
  } catch (const std::exception& e) {
    return report_internal(e.what());
  }
}

}  // namespace sunmao::cli
