// The command `sunmao transform-params`: writes a model's weights, prepared for its compiled code, to a file.
#include <chrono>

#include "cli/artifact_entries.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/option_values.h"
#include "cli/output_files.h"
#include "cli/pass_options.h"
#include "cli/reproducer.h"
#include "cli/runnable.h"
#include "compiler/compile.h"
#include "compiler/read_model_file.h"
#include "compiler/runtime_handles.h"
#include "compiler/tensor_file.h"
#include "io/json_writer.h"

namespace sunmao::cli {
namespace {

struct TransformSettings {
  std::string model, output, weights, target;
  std::vector<std::string> dims;
  PassOptions passes;
  bool json = false;
};

constexpr const char* kTransformExamples = R"(Examples:
  sunmao transform-params model.onnx -o prepared.safetensors
  sunmao transform-params model.sunmao --weights raw.safetensors -o prepared.safetensors
  sunmao run model.sunmao --weights prepared.safetensors)";

// A loaded model with the bytes of its artifact, which must outlive it.
struct Loaded {
  io::Bytes artifact;
  ModelHandle model;
};

Loaded open(const TransformSettings& s, std::vector<std::string>& files) {
  if (is_artifact(s.model)) {
    if (!s.target.empty() || !s.dims.empty())
      fail("E0004", {}, fmt::format("--target and --dim need a model, and `{}` is an artifact", s.model),
           "give the model file that it was compiled from");
    return {{}, load_model(s.model, load_options({.function = {}, .weights_path = s.weights, .cache_folder = {}}))};
  }
  CompileOptions options;
  options.targets = parse_targets(s.target.empty() ? std::vector<std::string>() : std::vector{s.target});
  options.dims = parse_ranges(s.dims);
  options.runner = runner_options(s.passes);
  watch_for_failures(options.runner, s.target);
  const Model model = read_model_file(s.model, {.weights_path = s.weights, .files = &files});
  io::Bytes artifact = compile(model, options).artifact;
  ModelHandle loaded = load_model(artifact, SUNMAO_LOAD_OPTIONS_INIT);
  return {std::move(artifact), std::move(loaded)};
}

std::string weights_report(const std::string& path, const Weights& weights, double seconds) {
  io::JsonWriter w({.indent = 2});
  w.begin_object().key("weights_file").value(path).key("seconds").value(seconds).key("weights").begin_array();
  for (const auto& [name, data] : weights)
    w.begin_object()
        .key("name")
        .value(name)
        .key("type")
        .value(describe(Value(data)))
        .key("bytes")
        .value(data.bytes().size())
        .end_object();
  return w.end_array().end_object().take() + "\n";
}

int prepare_weights(const TransformSettings& s) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::string> files = model_files(s.model);
  files.push_back(s.weights);
  check_outputs({s.output}, files);
  const Loaded loaded = open(s, files);
  check_outputs({s.output}, files);
  sunmao_error error;
  if (sunmao_model_write_weights(loaded.model.get(), s.output.c_str(), &error)) fail_with(error);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const Weights written = read_tensors(s.output);
  uint64_t bytes = 0;
  for (const auto& [name, data] : written) bytes += data.bytes().size();
  write_out(s.json ? weights_report(s.output, written, seconds)
                   : fmt::format("{}  {}  {}\n", bold(s.output), byte_size(bytes),
                                 dim(fmt::format("{} weights; prepared in {}", written.size(), duration(seconds)))));
  return kSuccess;
}

}  // namespace

Command add_transform_params(CLI::App& app) {
  auto s = std::make_shared<TransformSettings>();
  CLI::App* c = app.add_subcommand("transform-params", "Write the weights of a model as its compiled code takes them");
  c->footer(kTransformExamples);
  c->add_option("MODEL", s->model, "a model, or an artifact that prepares its weights when it is loaded")->required();
  c->add_option("-o,--output", s->output, "where the weights go")->required()->type_name("FILE.safetensors");
  c->add_option("--weights", s->weights, "raw weights by name, in place of the model's own")
      ->type_name("FILE.safetensors");
  c->add_option("--target", s->target, "the machine that a model's weights are laid out for; default: host")
      ->type_name("TARGET");
  add_repeated(*c, "--dim", s->dims, "the range of a symbolic dimension: batch=1..64")->type_name("NAME=RANGE");
  add_pass_options(*c, s->passes);
  c->add_flag("--json", s->json, "report as JSON");
  return {c, [s] { return prepare_weights(*s); }};
}

}  // namespace sunmao::cli
