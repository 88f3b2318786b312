// The command `sunmao tune`: measures the plans of a model's kernels on this machine, and keeps those that are faster.
#include <charconv>
#include <chrono>
#include <filesystem>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/model_options.h"
#include "cli/option_values.h"
#include "cli/output_files.h"
#include "cli/reproducer.h"
#include "cli/run_inputs.h"
#include "cli/tune_report.h"
#include "compiler/compile.h"
#include "compiler/processor_name.h"
#include "compiler/read_model_file.h"
#include "compiler/tuning/model_timer.h"
#include "support/diagnostic.h"

namespace sunmao::cli {
namespace {

struct TuneSettings : ModelSettings {
  std::string output, time = "5m", target = "host", precision = "float32";
  bool again = false;
};

constexpr const char* kTuneExamples = R"(Examples:
  sunmao tune model.onnx
  sunmao tune model.onnx -o model.tuning --time 10m --threads 2 --dim batch=8
  sunmao compile model.onnx --tuning model.tuning)";

/// Reads a time such as `90`, `90s`, `5m` or `1h`, in seconds.
double parse_time(const std::string& text) {
  constexpr double kMost = 30 * 24 * 3600.0, kMinute = 60, kHour = 3600;
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const std::string unit(error == std::errc() ? stop : end, end);
  const double scale = unit.empty() || unit == "s" ? 1 : unit == "m" ? kMinute : unit == "h" ? kHour : 0;
  const double seconds = value * scale;
  if (error != std::errc() || !(seconds > 0 && seconds <= kMost))
    fail("E0002", {}, fmt::format("--time: `{}` is no time", text), "write 90s, 5m or 1h");
  return seconds;
}

std::string tuning_file(const TuneSettings& s) {
  return s.output.empty() ? std::filesystem::path(s.model).replace_extension(".tuning").string() : s.output;
}

/// Returns the function to run: the one that is asked for, `main`, or the only one.
std::string function_of(const TuneSettings& s, const sunmao_model* model) {
  if (!s.function.empty()) return s.function;
  return sunmao_find_function(model, "main") >= 0 ? "main" : sunmao_function_name(model, 0);
}

int tune_model(const TuneSettings& s) {
  check_is_model(s.model);
  const double seconds = parse_time(s.time);
  const std::vector<Target> targets = parse_targets({s.target});
  if (targets.size() != 1) fail("E0002", {}, "--target: plans are measured for one target at a time", "give one");
  const std::string path = tuning_file(s);
  std::vector<std::string> files = model_files(s.model);
  files.push_back(s.weights);
  files.insert(files.end(), s.ops.begin(), s.ops.end());
  check_outputs({path}, files);
  TuningDatabase database = TuningDatabase::read_if_there(path);
  const OpFiles ops = read_op_files(s.ops);
  const Model model = read_model_file(s.model, {.weights_path = s.weights, .files = &files, .custom_ops = ops.modules});
  check_outputs({path}, files);
  if (s.threads > 0) sunmao_set_threads(s.threads);

  ProgressLine progress;
  CompileOptions options;
  options.targets = targets;
  options.objects = ops.objects;
  options.products = *DType::parse(s.precision);
  watch_for_failures(options.runner, s.target);
  options.on_progress = [&](const char* name, size_t done, size_t all) { progress.show(name, done, all); };
  const auto artifact_of = [&](const TunedPlans& plans) {
    CompileOptions with_plans = options;
    with_plans.tuning = plans;
    return compile(model, with_plans).artifact;
  };
  const io::Bytes first = artifact_of({});
  const std::unique_ptr<Runnable> runnable =
      load_artifact(first, {.function = s.function, .weights_path = {}, .cache_folder = {}});
  const std::vector<HostTensor> inputs = make_inputs(
      runnable->inputs(), {.inputs = s.inputs, .sizes = parse_sizes(s.dims), .recording_name = {}, .prefix = {}});
  std::vector<TimedCall> calls{{function_of(s, runnable->model()), {}}};
  for (const HostTensor& t : inputs) calls[0].inputs.push_back(t.view());

  CompileOptions before_schedule = options;
  before_schedule.runner.stop_after = "inline-elementwise";
  const std::vector<TunableKernel> kernels =
      find_tunable_kernels(run_pipeline(model, before_schedule).module, targets[0]);
  const auto begin = std::chrono::steady_clock::now();
  const TuneOptions tuning{
      .target = targets[0],
      .machine = fmt::format("{}, {} threads", processor_name(), sunmao_model_threads(runnable->model())),
      .seconds = seconds,
      .again = s.again,
      .now = [begin] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); },
      .on_measured = [&](const TuningDatabase& all) { all.write(path); },
      .on_progress = options.on_progress};
  const MakeTimedModel make = [&](const TunedPlans& plans) {
    return make_model_timer(plans.empty() ? first : artifact_of(plans), calls);
  };
  const TuneReport report = tune_kernels(kernels, make, database, tuning);
  if (!std::filesystem::exists(path)) database.write(path);  // `compile --tuning` reads it
  progress.clear();
  write_out(tune_text(report, path));
  return kSuccess;
}

}  // namespace

Command add_tune(CLI::App& app) {
  auto s = std::make_shared<TuneSettings>();
  CLI::App* c = app.add_subcommand("tune", "Measure the plans of a model's kernels, and keep those that are faster");
  c->footer(kTuneExamples);
  c->add_option("MODEL", s->model, "an ONNX model, a .pt2 archive of torch.export, or a script (.py)")->required();
  c->add_option("-o,--output", s->output, "the file for what is measured, which is added to; default: beside the model")
      ->type_name("FILE");
  c->add_option("--time", s->time, "how long to measure: 90s, 5m or 1h; default: 5m")->type_name("TIME");
  c->add_flag("--again", s->again, "measure what the file has for this machine, too");
  c->add_option("--target", s->target,
                "what the model is compiled for, as `compile` takes it; this machine must run it; default: host")
      ->type_name("TARGET");
  c->add_option("--precision", s->precision,
                "what products and convolutions of float32 multiply: `float32` or `bfloat16`")
      ->check(CLI::IsMember({"float32", "bfloat16"}))
      ->type_name("TYPE");
  add_call_options(*c, *s);
  add_size_options(*c, *s);
  return {c, [s] { return tune_model(*s); }};
}

}  // namespace sunmao::cli
