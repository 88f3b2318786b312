// The command `sunmao run`: runs an artifact, or a model compiled in memory or in the evaluator; compares and times it.
#include <algorithm>
#include <chrono>
#include <filesystem>

#include "cli/artifact_entries.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/model_options.h"
#include "cli/npy.h"
#include "cli/option_values.h"
#include "cli/output_files.h"
#include "cli/pass_options.h"
#include "cli/reproducer.h"
#include "cli/run_inputs.h"
#include "cli/run_report.h"
#include "compiler/compile.h"
#include "compiler/read_model_file.h"
#include "compiler/runtime_handles.h"
#include "compiler/tensor_file.h"

namespace sunmao::cli {
namespace {

struct RunSettings : ModelSettings {
  std::string output, expect, prefix, state;
  std::vector<std::string> targets;
  PassOptions passes;
  int repeat = 1;
  bool evaluate = false;
  bool json = false;
};

constexpr const char* kRunExamples = R"(Examples:
  sunmao run model.sunmao --input x=x.npy --output y.safetensors
  sunmao run model.sunmao --input x=x.npz:x --output y.npy
  sunmao run model.sunmao --dim batch=8 --repeat 1000 --threads 1
  sunmao run decoder.sunmao --input token=t.npy --state chat.safetensors
  sunmao run model.onnx --expect recorded.safetensors
  sunmao run model.onnx --evaluate --input x=recorded.safetensors:b2.input.0)";

constexpr std::string_view kInputSuffix = "input.0";

void check_run_settings(const RunSettings& s, bool artifact) {
  const char* what = s.evaluate ? "--evaluate" : s.targets.empty() ? nullptr : "--target";
  if (artifact && what)
    fail("E0004", {}, fmt::format("{} needs a model, and `{}` is an artifact", what, s.model),
         "give the model file that it was compiled from");
  if (s.evaluate && !s.targets.empty())
    fail("E0004", {}, "--target and --evaluate do not go together", "the evaluator generates no code");
  if (!artifact && !s.cache.empty())
    fail("E0004", {}, "--cache is for artifacts, and a model is compiled anew", "compile it with --prepare load first");
  if (s.evaluate && !s.state.empty())
    fail("E0004", {}, "--state and --evaluate do not go together", "the evaluator has no sessions");
  if (s.evaluate && s.threads > 0)
    fail("E0004", {}, "--threads and --evaluate do not go together", "the evaluator runs on one thread");
  if (!s.prefix.empty() && s.expect.empty())
    fail("E0004", {}, "--prefix is for --expect", "it chooses tensors of the recording");
}

// Returns the files that the command may read: the model, weights, recording and sources of inputs.
std::vector<std::string> input_files(const RunSettings& s) {
  std::vector<std::string> files = model_files(s.model);
  for (const std::string& file : {s.weights, s.expect}) files.push_back(file);
  files.insert(files.end(), s.ops.begin(), s.ops.end());
  for (const std::string& input : s.inputs) {
    const std::string source = input.substr(input.rfind('=') + 1);
    files.push_back(source);
    files.push_back(source.substr(0, source.rfind(':')));
  }
  return files;
}

std::unique_ptr<Runnable> open_runnable(const RunSettings& s) {
  std::vector<std::string> files = input_files(s);
  check_outputs({s.output, s.state}, files);
  const bool artifact = is_artifact(s.model);
  check_run_settings(s, artifact);
  check_ops(s.ops, s.model);
  if (artifact) return load_artifact(s.model, {s.function, s.weights, s.cache});
  const OpFiles ops = read_op_files(s.ops);
  const Model model = read_model_file(
      s.model, {.weights_path = s.weights, .files = &files, .keep_state = !s.state.empty(), .custom_ops = ops.modules});
  check_outputs({s.output, s.state}, files);
  if (s.evaluate) return evaluate_model(model, s.function);
  CompileOptions options;
  options.targets = parse_targets(s.targets);
  options.objects = ops.objects;
  options.keep_state = !s.state.empty();
  options.runner = runner_options(s.passes);
  watch_for_failures(options.runner, s.targets.empty() ? std::string() : s.targets.front());
  return load_artifact(compile(model, options).artifact,
                       {.function = s.function, .weights_path = {}, .cache_folder = {}});
}

// Returns the requested prefix or, without one, every prefix of a tensor `<prefix>input.0` of the recording; fails
// when there is none.
std::vector<std::string> prefixes_of(const Weights& recording, const RunSettings& s) {
  if (!s.prefix.empty()) return {s.prefix};
  std::vector<std::string> out;
  for (const auto& [name, data] : recording)
    if (name.ends_with(kInputSuffix)) out.push_back(name.substr(0, name.size() - kInputSuffix.size()));
  if (out.empty()) get_tensor(recording, std::string(kInputSuffix), s.expect);
  return out;
}

RunResult run_once(Runnable& runnable, const std::vector<HostTensor>& inputs, const RunSettings& s) {
  RunResult result;
  for (int i = 0; i < s.repeat; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    runnable.run(inputs);
    result.seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::ranges::sort(result.seconds);
  result.names = runnable.output_names();
  result.outputs = runnable.outputs();
  return result;
}

void compare_with(RunResult& result, const Weights& recording, const RunSettings& s) {
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    const Array& expected = get_tensor(recording, fmt::format("{}output.{}", result.prefix, i), s.expect);
    result.comparisons.push_back(compare(expected, result.outputs[i], tolerance_of(expected.dtype())));
  }
}

std::vector<RunResult> run_all(Runnable& runnable, const RunSettings& s, const Weights& recording) {
  InputRequest request{
      .inputs = s.inputs, .sizes = parse_sizes(s.dims), .recording = nullptr, .recording_name = s.expect, .prefix = {}};
  if (s.expect.empty()) return {run_once(runnable, make_inputs(runnable.inputs(), request), s)};
  std::vector<RunResult> results;
  request.recording = &recording;
  for (const std::string& prefix : prefixes_of(recording, s)) {
    request.prefix = prefix;
    RunResult result = run_once(runnable, make_inputs(runnable.inputs(), request), s);
    result.prefix = prefix;
    compare_with(result, recording, s);
    results.push_back(std::move(result));
  }
  return results;
}

// A .npy file holds one array.
void check_single(const std::string& path, size_t count) {
  if (path.ends_with(kNpy) && count != 1)
    fail("E0002", {}, fmt::format("--output: `{}` holds one array, and there are {} outputs", path, count),
         "write a file that ends in .npz or .safetensors");
}

void write_outputs(const std::vector<RunResult>& results, const std::string& path) {
  Weights tensors;
  for (const RunResult& r : results)
    for (size_t i = 0; i < r.outputs.size(); ++i)
      tensors.emplace(fmt::format("{}output.{}", r.prefix, i), r.outputs[i]);
  if (path.ends_with(kNpz)) return write_npz(path, tensors);
  if (!path.ends_with(kNpy)) return write_tensors(path, tensors);
  check_single(path, tensors.size());
  write_npy(path, tensors.begin()->second);
}

// Lets the session go on where the file is, if there is one.
void load_state(const Runnable& runnable, const std::string& path) {
  if (path.empty()) return;
  if (sunmao_state_count(runnable.model()) == 0)
    fail("E0004", {}, "--state: the model keeps no state", "compile a model that has state with --keep-state");
  sunmao_error error;
  if (std::filesystem::exists(path) && sunmao_session_load(runnable.session(), path.c_str(), &error)) fail_with(error);
}

void save_state(const Runnable& runnable, const std::string& path) {
  sunmao_error error;
  if (!path.empty() && sunmao_session_save(runnable.session(), path.c_str(), &error)) fail_with(error);
}

int run_model(const RunSettings& s) {
  if (s.threads > 0) sunmao_set_threads(s.threads);
  const auto begin = std::chrono::steady_clock::now();
  const std::unique_ptr<Runnable> runnable = open_runnable(s);
  check_single(s.output, std::max<size_t>(runnable->output_names().size(), 1));
  load_state(*runnable, s.state);
  const double loading = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const Weights recording = s.expect.empty() ? Weights() : read_tensors(s.expect);
  const std::vector<RunResult> results = run_all(*runnable, s, recording);
  save_state(*runnable, s.state);
  if (!s.output.empty()) write_outputs(results, s.output);
  write_out(s.json ? json_report(results, loading) : text_report(results, loading));
  fail_on_difference(results);
  return kSuccess;
}

}  // namespace

Command add_run(CLI::App& app) {
  auto s = std::make_shared<RunSettings>();
  CLI::App* c = app.add_subcommand("run", "Run an artifact or a model; compare and time it");
  c->footer(kRunExamples);
  add_model_options(*c, *s);
  c->add_option("--output", s->output,
                "where the outputs go, as `output.0`, `output.1` …; a .npy file holds one of them,\n"
                "a .npz file and others all")
      ->type_name("FILE.safetensors");
  c->add_option("--state", s->state,
                "the state of the session: read before the runs, if the file is there, and written after them")
      ->type_name("FILE.safetensors");
  c->add_option("--expect", s->expect,
                "inputs and right outputs, `<prefix>input.0`, `<prefix>output.0` …; all prefixes are run")
      ->type_name("FILE.safetensors");
  c->add_option("--prefix", s->prefix, "the one prefix to run")->type_name("TEXT");
  c->add_option("--repeat", s->repeat, "how often to run")->check(CLI::Range(1, 100000000))->type_name("N");
  c->add_flag("--evaluate", s->evaluate, "run the reference evaluator instead of compiled code");
  add_repeated(*c, "--target", s->targets, "what a model is compiled for; default: host")->type_name("TARGET");
  add_pass_options(*c, s->passes);
  c->add_flag("--json", s->json, "report as JSON");
  return {c, [s] { return run_model(*s); }};
}

}  // namespace sunmao::cli
