// The command `sunmao reduce`: shrinks a model on which a command fails to the smallest that fails in the same way.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/child_process.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/decimal_option.h"
#include "cli/ending_signals.h"
#include "cli/failure.h"
#include "cli/model_options.h"
#include "cli/output_files.h"
#include "compiler/read_model_file.h"
#include "compiler/reduce_model.h"
#include "compiler/reduction/subset.h"
#include "compiler/tensor_file.h"
#include "frontend/onnx_writer.h"
#include "passes/pass_arguments.h"
#include "support/diagnostic.h"

namespace sunmao::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModelPlace = "{}";
constexpr const char* kWeightsPlace = "{weights}";
constexpr const char* kScratchPlace = "{out}";

struct ReduceSettings {
  std::string model, output, weights, fails;
  std::vector<std::string> command;
  double timeout = 60;
};

constexpr const char* kReduceExamples = R"(Examples:
  sunmao reduce model.onnx --fails compile
  sunmao reduce model.onnx --fails numbers -o small.py
  sunmao reduce sunmao-failure-fuse-ops.py --fails fuse-ops
  sunmao reduce model.onnx --timeout 5 -- sunmao compile {} -o {out} --target x86-64-v4
  sunmao reduce model.pt2 -- python3 my_check.py {}

Behind `--` stands any command, with {} for the file of the model, {weights} for a file of its weights and {out} for a
file that it may write. A model is smaller when the command fails on it in the same way: by the same signal, the same
exit status and error code, the same internal error, or by taking longer than the limit.)";

volatile std::sig_atomic_t is_interrupted = 0;
extern "C" void note_interrupt(int) { is_interrupted = 1; }

/// Lets Ctrl-C set `is_interrupted` instead of ending the program.
class InterruptWatch {
 public:
  InterruptWatch() {
    is_interrupted = 0;
    struct sigaction action{};
    action.sa_handler = note_interrupt;
    for (size_t i = 0; i < std::size(kCaught); ++i) sigaction(kCaught[i], &action, &before_[i]);
  }
  ~InterruptWatch() {
    for (size_t i = 0; i < std::size(kCaught); ++i) sigaction(kCaught[i], &before_[i], nullptr);
  }
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  static constexpr int kCaught[] = {SIGINT, SIGTERM};
  struct sigaction before_[2] = {};
};

/// A folder for candidates, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    const char* folder = std::getenv("TMPDIR");
    std::string path = (fs::path(folder && *folder ? folder : "/tmp") / "sunmao-reduce-XXXXXX").string();
    if (!mkdtemp(path.data()))
      fail("E0802", {}, fmt::format("cannot make a folder for candidates, {}", path),
           "TMPDIR names the folder that it is made in");
    path_ = path;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  fs::path file(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

std::string replaced(std::string text, std::string_view what, const std::string& by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

/// The command with its places filled in.
std::vector<std::string> filled_in(const std::vector<std::string>& command, const std::string& model,
                                   const std::string& weights, const std::string& scratch) {
  std::vector<std::string> words = command;
  for (std::string& word : words)
    for (const auto& [place, by] : {std::pair(kWeightsPlace, weights), {kScratchPlace, scratch}, {kModelPlace, model}})
      word = replaced(word, place, by);
  return words;
}

std::string command_line_of(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "" : " ") + shell_word(w);
  return out;
}

std::vector<std::string> built_in_command(const std::string& fails) {
  if (fails == "compile") return {"sunmao", "compile", kModelPlace, "-o", kScratchPlace};
  if (fails == "run") return {"sunmao", "run", kModelPlace};
  if (fails == "numbers") return {"sunmao", "check", kModelPlace};
  parse_pass_calls(fails, "--fails");
  return {"sunmao", "opt", kModelPlace, "--passes", fails, "-o", std::string(kScratchPlace) + ".py"};
}

bool names(const std::vector<std::string>& command, const char* place) {
  return std::ranges::any_of(command, [&](const std::string& w) { return w.find(place) != std::string::npos; });
}

std::vector<std::string> oracle_command(const ReduceSettings& s) {
  if (s.command.empty() == s.fails.empty())
    fail("E0004", {}, s.fails.empty() ? "no command is given that fails" : "--fails and a command do not go together",
         "write --fails compile, run, numbers or a pass, or a command behind `--`: sunmao reduce MODEL -- COMMAND {}");
  if (!s.fails.empty()) {
    std::vector<std::string> words = built_in_command(s.fails);
    if (!s.weights.empty() && words[1] != "opt") words.insert(words.end(), {"--weights", kWeightsPlace});
    return words;
  }
  if (!names(s.command, kModelPlace))
    fail("E0002", {}, "the command behind `--` does not name the file of the model",
         "write {} where the file is to stand: sunmao reduce model.onnx -- sunmao compile {} -o {out}");
  return s.command;
}

/// Returns the passes of a list; none for what is no list of Sunmao's passes, as in a command of the user's.
std::vector<PassCall> passes_in(const std::string& list) {
  try {
    return parse_pass_calls(list, "--passes");
  } catch (const UserError&) {
    return {};
  }
}

/// Runs the command on models, and compares how it fails.
class FailureTest {
 public:
  FailureTest(const ReduceSettings& s, std::vector<std::string> command, std::vector<std::string> program)
      : settings_(s), command_(std::move(command)), program_(std::move(program)) {}

  /// Returns how the command fails on a file; empty when it does not.
  std::string failure_on(const std::string& model, const std::string& weights) const {
    std::vector<std::string> words = filled_in(command_, model, weights, scratch_.file("out").string());
    if (words[0] == "sunmao") {
      words.erase(words.begin());
      words.insert(words.begin(), program_.begin(), program_.end());
    }
    const ChildResult result = run_child(words, settings_.timeout, &is_interrupted);
    return result.is_stopped ? std::string() : failure_of(result, settings_.timeout);
  }

  /// Returns how the command fails on a model that is written as a script.
  std::string failure_on(const Model& model) const {
    const fs::path script = scratch_.file("candidate.py"), weights = scratch_.file("weights.safetensors");
    std::error_code ignored;
    fs::remove(constants_path(script), ignored);
    write_script_file(script, model.module);
    if (takes_weights()) write_tensors(weights, model.weights);
    return failure_on(script.string(), weights.string());
  }

  /// Returns a model as an ONNX file on which the command fails in that way, or why there is none.
  OnnxFile as_onnx(const Model& model, const std::string& failure) const {
    OnnxFile file = write_onnx(model);
    if (!file.obstacle.empty()) return file;
    const fs::path path = scratch_.file("candidate.onnx"), weights = scratch_.file("weights.safetensors");
    write_or_fail(path, {io::Bytes::borrowed(io::as_bytes(file.bytes))});
    if (takes_weights()) write_tensors(weights, model.weights);
    const std::string reading = failure_of_reading(path.string());
    const std::string found = reading.empty() ? failure_on(path.string(), weights.string()) : "";
    if (!reading.empty())
      file.obstacle = "reading it fails: " + reading;
    else if (is_interrupted != 0)
      file.obstacle = "interrupted before it was tried";
    else if (found != failure)
      file.obstacle = found.empty() ? "the command does not fail on it" : "the command fails otherwise on it: " + found;
    return file;
  }

  /// Returns how reading a file fails; empty when it does not.
  std::string failure_of_reading(const std::string& model) const {
    std::vector<std::string> words = program_;
    words.insert(words.end(), {"opt", model, "-o", scratch_.file("read.py").string()});
    return failure_of(run_child(words, settings_.timeout, &is_interrupted), settings_.timeout);
  }

  /// Lets the command take the weights from a file.
  void give_weights() { command_.insert(command_.end(), {"--weights", kWeightsPlace}); }

  /// Leaves passes out of a list behind `--passes` while the failure is that one.
  void drop_passes(const Model& model, const std::string& failure) {
    for (size_t i = 0; i < command_.size(); ++i) {
      constexpr std::string_view kPasses = "--passes";
      const bool is_joined = command_[i].starts_with("--passes=");
      if (!is_joined && (i == 0 || command_[i - 1] != kPasses)) continue;
      const std::string before = command_[i];
      const std::vector<PassCall> passes = passes_in(is_joined ? before.substr(kPasses.size() + 1) : before);
      std::string smallest = before;
      reduction::minimal_subset(passes.size(), [&](const reduction::Indices& kept) {
        if (kept.empty() || is_interrupted != 0) return false;
        std::string list;
        for (size_t k : kept) list += (list.empty() ? "" : ",") + to_text(passes[k]);
        command_[i] = (is_joined ? "--passes=" : "") + list;
        const bool fails = failure_on(model) == failure;
        if (fails) smallest = command_[i];
        return fails;
      });
      command_[i] = smallest;
    }
  }

  const std::vector<std::string>& command() const { return command_; }
  bool takes_weights() const { return names(command_, kWeightsPlace); }

 private:
  const ReduceSettings& settings_;
  std::vector<std::string> command_;
  const std::vector<std::string> program_;
  const ScratchFolder scratch_;
};

/// Tells on a terminal how far a reduction is.
class ProgressLine {
 public:
  void tell(const ReduceProgress& p) {
    if (!is_terminal_) return;
    write_err(fmt::format("\r\x1b[K{} ops left, {} tries: {}", p.ops, p.tries, p.step));
    is_shown_ = true;
  }
  void end() {
    if (is_shown_) write_err("\r\x1b[K");
    is_shown_ = false;
  }

 private:
  const bool is_terminal_ = isatty(STDERR_FILENO) == 1;
  bool is_shown_ = false;
};

std::string weights_path_of(const std::string& output) { return output + ".weights.safetensors"; }

std::string onnx_path_of(const std::string& output) { return output + ".onnx"; }

std::string output_of(const ReduceSettings& s) {
  return s.output.empty() ? fs::path(s.model).stem().string() + ".reduced.py" : s.output;
}

void check_reduce_settings(const ReduceSettings& s) {
  const std::string output = output_of(s);
  if (!is_script(output))
    fail("E0002", {}, fmt::format("-o: `{}` is no script", output), "the reduced model is a script: -o small.py");
  std::vector<std::string> outputs = script_files(output), inputs = model_files(s.model);
  for (const std::string& path : {weights_path_of(output), onnx_path_of(output)}) outputs.push_back(path);
  inputs.push_back(s.weights);
  check_outputs(outputs, inputs);
  check_is_model(s.model);
  const fs::path folder = fs::path(output).has_parent_path() ? fs::path(output).parent_path() : ".";
  if (access(folder.c_str(), W_OK) != 0)
    fail("E0802", {}, fmt::format("cannot write `{}`: {}", output, std::strerror(errno)),
         "the script goes into a folder that is there and may be written");
}

/// Reads the model, unless what fails is reading it: by a signal this program would end as well.
Model read_or_fail(const FailureTest& test, const ReduceSettings& s, const std::string& failure) {
  const std::string reading = test.failure_of_reading(s.model);
  if (reading.empty() || reading.find("error E") != std::string::npos)
    return read_model_file(s.model, {.weights_path = s.weights});
  fail({.code = "E0051",
        .message = fmt::format("reading `{}` fails, which leaves nothing to reduce", s.model),
        .span = {},
        .notes = {fmt::format("the command: {}", failure), fmt::format("reading: {}", reading)},
        .help = "report this with the file"});
}

/// Returns the model, or a form of it without weights beside it, on which the command fails as on the file.
Model script_that_fails(FailureTest& test, const Model& model, const ReduceSettings& s, const std::string& failure) {
  const std::string as_script = test.failure_on(model);
  if (as_script == failure || is_interrupted != 0) return model;
  Model plain{.module = with_weights_as_inputs(model.module), .weights = {}, .states = {}};
  if (test.failure_on(plain) == failure) return plain;
  plain.module = with_weights_as_constants(model);
  if (test.failure_on(plain) == failure) return plain;
  if (!s.fails.empty() && !model.weights.empty()) {
    test.give_weights();
    if (test.failure_on(model) == failure) return model;
  }
  fail({.code = "E0051",
        .message = fmt::format("the command fails on `{}`, and not in the same way on the model as a script", s.model),
        .span = {},
        .notes = {fmt::format("on the file: {}", failure),
                  fmt::format("as a script: {}", as_script.empty() ? "no failure" : as_script)},
        .help = "what fails is the reading of the file, or depends on what scripts do not have"});
}

std::string reduced_report(const ReduceSettings& s, const FailureTest& test, const Reduced& reduced, size_t before,
                           const std::string& failure) {
  const std::string output = output_of(s);
  const std::vector<std::string> replay =
      filled_in(test.command(), output, weights_path_of(output), "/tmp/sunmao-reduce-out");
  const size_t calls = count_calls(reduced.model.module), statements = count_statements(reduced.model.module);
  std::string size = fmt::format("{} of {} ops", calls, before);
  if (statements > 0) size += fmt::format(", {} statements of kernels", statements);
  return fmt::format("{}  {}{}  {}\nfails with  {}\nreplay it   {}\n", bold(output), size,
                     reduced.is_stopped ? " (interrupted)" : "", dim(fmt::format("{} tries", reduced.tries)), failure,
                     command_line_of(replay));
}

/// Writes the ONNX file beside the script where there can be one; returns the line about it.
std::string write_onnx_beside(const std::string& output, const FailureTest& test, const Model& model,
                              const std::string& failure) {
  const OnnxFile file = test.as_onnx(model, failure);
  if (!file.obstacle.empty()) return fmt::format("no .onnx    {}\n", file.obstacle);
  const std::string path = onnx_path_of(output);
  write_or_fail(path, {io::Bytes::borrowed(io::as_bytes(file.bytes))});
  return fmt::format("as .onnx    {}\n", path);
}

int interrupted_early() {
  write_err("interrupted before anything was tried: nothing is written\n");
  return kInterrupted;
}

int reduce_command(const ReduceSettings& s, const std::vector<std::string>& program) {
  check_reduce_settings(s);
  const std::vector<std::string> command = oracle_command(s);
  map_or_fail(s.model);
  if (!s.weights.empty()) map_or_fail(s.weights);
  const InterruptWatch watch;
  FailureTest test(s, command, program);
  const std::string failure = test.failure_on(s.model, s.weights);
  if (is_interrupted != 0) return interrupted_early();
  if (failure.empty())
    fail("E0052", {}, fmt::format("the command does not fail on `{}`", s.model),
         "check it alone: " + command_line_of(filled_in(command, s.model, s.weights, "FILE")));
  const Model model = script_that_fails(test, read_or_fail(test, s, failure), s, failure);
  if (is_interrupted != 0) return interrupted_early();
  test.drop_passes(model, failure);
  ProgressLine progress;
  const Reduced reduced =
      reduce_model(model, {.fails = [&](const Model& candidate) { return test.failure_on(candidate) == failure; },
                           .on_progress = [&](const ReduceProgress& p) { progress.tell(p); },
                           .is_cancelled = [] { return is_interrupted != 0; }});
  progress.end();
  const std::string output = output_of(s);
  write_script_file(output, reduced.model.module);
  if (test.takes_weights() && !reduced.model.weights.empty())
    write_tensors(weights_path_of(output), reduced.model.weights);
  write_out(reduced_report(s, test, reduced, count_calls(model.module), failure) +
            write_onnx_beside(output, test, reduced.model, failure));
  return reduced.is_stopped ? kInterrupted : kSuccess;
}

}  // namespace

Command add_reduce(CLI::App& app) {
  auto s = std::make_shared<ReduceSettings>();
  CLI::App* c = app.add_subcommand("reduce", "Shrink a model on which a command fails");
  c->footer(kReduceExamples);
  c->add_option("MODEL", s->model, "an ONNX model, a .pt2 archive of torch.export, or a script (.py)")->required();
  c->add_option("COMMAND", s->command, "behind `--`: the command that fails, with {} for the model's file");
  c->add_option("--fails", s->fails,
                "in place of a command: `compile`, `run`, `numbers` (compiled code and the reference evaluator\n"
                "differ), or a list of passes as `opt --passes` takes it")
      ->type_name("WHAT");
  c->add_option("-o,--output", s->output,
                "where the script goes, and with .onnx behind its name an ONNX file where the model can be one;\n"
                "default: MODEL.reduced.py in this folder")
      ->type_name("FILE.py");
  c->add_option("--weights", s->weights, "weights by name, in place of the model's own")->type_name("FILE.safetensors");
  add_decimal(*c, "--timeout", s->timeout, {.least = 0.1, .greatest = 86400},
              "how long the command may take; one that takes longer fails. Default: 60")
      ->type_name("SECONDS");
  return {c, [s] { return reduce_command(*s, own_program("reduce")); }};
}

}  // namespace sunmao::cli
