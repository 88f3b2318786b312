// The command `sunmao compile`: compiles a model file to an artifact.
#include "compiler/compile.h"

#include <chrono>
#include <filesystem>
#include <optional>

#include "cli/artifact_entries.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/decimal_option.h"
#include "cli/model_options.h"
#include "cli/option_values.h"
#include "cli/output_files.h"
#include "cli/pass_options.h"
#include "cli/phase_report.h"
#include "cli/precision_cost.h"
#include "cli/reproducer.h"
#include "compiler/arithmetic.h"
#include "compiler/compile_summary.h"
#include "compiler/read_model_file.h"
#include "compiler/runtime_handles.h"
#include "compiler/shared_object.h"
#include "compiler/tensor_file.h"
#include "compiler/tuning/tuning_database.h"
#include "compiler/widened_weights.h"
#include "io/json_writer.h"
#include "script/print.h"

namespace sunmao::cli {
namespace {

struct CompileSettings {
  std::string model, output, weights, tuning;
  std::vector<std::string> targets, dims, names, ops;
  PassOptions passes;
  std::string prepare = "compile", emit = "artifact", precision = "float32";
  double max_growth = -1;  // percent; below 0: not given
  bool no_bind_weights = false;
  bool keep_state = false;
  bool json = false;
};

constexpr const char* kCompileExamples = R"(Examples:
  sunmao compile model.onnx -o model.sunmao
  sunmao compile model.pt2 -o model.sunmao --target x86-64-v3,x86-64-v4 --dim batch=1..64
  sunmao compile model.pt2 -o model.sunmao --name-dim x:0=batch --dim batch=1..64
  sunmao compile model.py --weights weights.safetensors -o model.sunmao
  sunmao compile model.onnx --ops my_ops.py
  sunmao compile model.onnx -o model.sunmao --prepare load
  sunmao compile model.onnx --precision bfloat16
  sunmao compile model.onnx --emit=so -o libmodel.so
  sunmao compile model.onnx --tuning model.tuning
  sunmao compile model.onnx --timing
  sunmao compile model.onnx --stop-after fuse-kernels -o fused.py
  sunmao compile model.onnx --validate=each)";

CompileOptions compile_options(const CompileSettings& s, const OpFiles& ops) {
  if (s.no_bind_weights && s.prepare == "load")
    fail("E0004", {}, "--no-bind-weights and --prepare load do not go together",
         "without bound weights the caller prepares them");
  if (s.no_bind_weights && !s.weights.empty())
    fail("E0004", {}, "--no-bind-weights and --weights do not go together",
         "without bound weights the artifact has none: the caller passes them");
  CompileOptions options;
  options.targets = parse_targets(s.targets);
  options.bind_weights = !s.no_bind_weights;
  options.keep_state = s.keep_state;
  options.prepare_at_load = s.prepare == "load";
  options.dims = parse_ranges(s.dims);
  options.objects = ops.objects;
  options.products = *DType::parse(s.precision);
  if (s.max_growth >= 0) options.max_growth = s.max_growth / 100;
  if (!s.tuning.empty()) options.tuning = TuningDatabase::read(s.tuning).plans();
  options.runner = runner_options(s.passes);
  watch_for_failures(options.runner, s.targets.empty() ? std::string() : s.targets.front());
  return options;
}

bool emits_object(const CompileSettings& s) { return s.emit == "so"; }

// By default, what is made is written next to the model. The header of a shared object lies beside it.
std::vector<std::string> output_paths(const CompileSettings& s) {
  std::filesystem::path path = s.output;
  if (s.output.empty()) {
    path = std::filesystem::path(s.model).replace_extension(emits_object(s) ? ".so" : ".sunmao");
    if (emits_object(s)) path.replace_filename("lib" + path.filename().string());
  }
  if (!emits_object(s)) return {path.string()};
  return {path.string(), std::filesystem::path(path).replace_extension(".h").string()};
}

void write_timings(io::JsonWriter& w, const std::vector<PassTiming>& timings) {
  w.key("passes").begin_array();
  for (const PassTiming& t : timings)
    w.begin_object()
        .key("name")
        .value(t.name)
        .key("milliseconds")
        .value(t.milliseconds)
        .key("changed")
        .value(t.changed)
        .end_object();
  w.end_array();
}

void write_ops(io::JsonWriter& w, const OpCounts& ops) {
  w.key("ops").begin_object().key("read").value(ops.read).key("on_weights").value(ops.on_weights);
  w.key("run").value(ops.run).end_object().key("dtypes").begin_object();
  for (const auto& [dtype, count] : ops.dtypes) w.key(dtype).value(count);
  w.end_object();
}

/// Returns the artifact that was made, which lies in memory or is the file.
io::Bytes artifact_of(const std::string& path, const Compiled& compiled) {
  return compiled.artifact.empty() ? map_or_fail(path) : compiled.artifact;
}

std::string compile_report(const std::vector<std::string>& paths, const Compiled& compiled, const PhaseReport& phases,
                           double seconds, const std::optional<PrecisionCost>& cost) {
  const io::Bytes artifact = artifact_of(paths[0], compiled);
  const std::vector<ArtifactEntry> entries = artifact_entries(artifact);
  io::JsonWriter w({.indent = 2});
  w.begin_object().key(paths.size() == 1 ? "artifact" : "object").value(paths[0]);
  if (paths.size() > 1) w.key("header").value(paths[1]);
  w.key("bytes").value(std::filesystem::file_size(paths[0]));
  w.key("seconds").value(seconds);
  w.key("weight_bytes")
      .value(compiled.growth.bytes_after)
      .key("model_weight_bytes")
      .value(compiled.growth.bytes_before);
  write_entries(w, entries);
  write_timings(w, compiled.timings);
  phases.write(w);
  write_ops(w, compiled.ops);
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  options.without_code = 1;
  const ModelHandle model = load_model(artifact, options);
  const io::JsonDocument manifest = manifest_of(model.get());
  write_arithmetic(w, model.get(), manifest.root());
  write_widened(w, manifest.root());
  if (cost) write_cost(w, *cost);
  return w.end_object().take() + "\n";
}

std::string report(const std::string& path, const Compiled& compiled, double seconds,
                   const std::optional<PrecisionCost>& cost) {
  constexpr std::string_view kIndent = "              ";
  std::string out = fmt::format("{}  {}  {}\n", bold(path), byte_size(std::filesystem::file_size(path)),
                                dim(fmt::format("compiled in {}", duration(seconds))));
  std::vector<std::pair<std::string, std::string>> lines = compile_summary(compiled, artifact_of(path, compiled));
  if (cost) lines.emplace_back("accuracy", cost_text(*cost));
  for (const auto& [name, text] : lines)
    out += wrapped(fmt::format("  {:<12}{}", name, text), terminal_width(), kIndent) + "\n";
  return out;
}

void warn_of_growth(const Growth& growth) {
  const std::string text = growth_text(growth);
  if (!text.empty()) write_err(fmt::format("warning: {}\n", text));
}

/// Writes the shared object of an artifact in memory, and its header.
void write_object(const io::Bytes& artifact, const std::vector<std::string>& paths, const OnPhase& on_phase) {
  const PhaseTimer timer("link shared object", on_phase);
  const SharedObjectFiles files = make_shared_object(artifact, std::filesystem::path(paths[0]).filename().string());
  write_together_or_fail({{paths[0], {files.object}}, {paths[1], {io::Bytes::from(files.header)}}});
}

int compile_model(const CompileSettings& s) {
  PhaseReport phases;
  const OnPhase on_phase = phases.receiver();
  const OpFiles ops = read_op_files(s.ops);
  CompileOptions options = compile_options(s, ops);
  options.on_phase = on_phase;
  const bool stops = !s.passes.stop_after.empty();
  if (stops && s.json)
    fail("E0004", {}, "--stop-after and --json do not go together", "a stage of the pipeline is printed as script");
  if (stops && emits_object(s))
    fail("E0004", {}, "--stop-after and --emit=so do not go together", "a stage of the pipeline is printed as script");
  std::vector<std::string> notes, files = model_files(s.model);
  files.push_back(s.weights);
  files.push_back(s.tuning);
  files.insert(files.end(), s.ops.begin(), s.ops.end());
  const std::vector<std::string> outputs = stops ? script_files(s.output) : output_paths(s);
  check_outputs(outputs, files);
  if (emits_object(s)) check_object_name(std::filesystem::path(outputs[0]).filename().string());
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  const Model model = [&] {
    const PhaseTimer timer(kReading, on_phase);
    Model read = read_model_file(s.model, {.weights_path = s.weights,
                                           .notes = &notes,
                                           .files = &files,
                                           .dims = options.dims,
                                           .keep_state = s.keep_state,
                                           .custom_ops = ops.modules});
    read.module = with_named_axes(read.module, parse_named_axes(s.names));
    return read;
  }();
  check_outputs(outputs, files);
  for (const std::string& note : notes) write_note(note);
  if (stops) {
    const RunReport stage = run_pipeline(model, options);
    phases.add_passes(stage.timings);
    if (s.passes.timing) write_err(phases.table(1000 * elapsed()));
    if (s.output.empty())
      write_out(print(stage.module) + "\n");
    else
      write_script_file(s.output, stage.module);
    return kSuccess;
  }
  if (!emits_object(s)) options.output = outputs[0];
  std::optional<ProgressLine> progress(std::in_place);
  const auto on_begin = options.runner.on_begin;
  options.runner.on_begin = [&](const PipelineStep& step, const Module& input) {
    progress->show(step.pass->name);
    if (on_begin) on_begin(step, input);
  };
  options.on_progress = [&](const char* name, size_t done, size_t all) { progress->show(name, done, all); };
  const Compiled compiled = compile(model, options);
  progress.reset();
  std::optional<PrecisionCost> cost;
  const double before_cost = elapsed();
  if (options.products != DType::float_(32)) cost = precision_cost(model, options, artifact_of(outputs[0], compiled));
  const double measuring = elapsed() - before_cost;
  if (emits_object(s)) write_object(compiled.artifact, outputs, on_phase);
  warn_of_growth(compiled.growth);
  const double seconds = elapsed() - measuring;
  phases.add_passes(compiled.timings);
  if (s.passes.timing) write_err(phases.table(1000 * seconds));
  write_out(s.json ? compile_report(outputs, compiled, phases, seconds, cost)
                   : report(outputs[0], compiled, seconds, cost));
  return kSuccess;
}

}  // namespace

Command add_compile(CLI::App& app) {
  auto s = std::make_shared<CompileSettings>();
  CLI::App* c = app.add_subcommand("compile", "Make one artifact of a model");
  c->footer(kCompileExamples);
  c->add_option("MODEL", s->model, "an ONNX model, a .pt2 archive of torch.export, or a script (.py)")->required();
  c->add_option("-o,--output", s->output,
                "where it goes; default: beside the model.\n"
                "With --stop-after, where the script goes; default: standard output")
      ->type_name("FILE");
  c->add_option("--emit", s->emit,
                "what is made: `artifact`, or `so`: a shared object that needs no other file, with a header in C")
      ->check(CLI::IsMember({"artifact", "so"}))
      ->type_name("KIND");
  add_ops_option(*c, s->ops);
  c->add_option("--weights", s->weights, "weights by name, in place of the model's own")->type_name("FILE.safetensors");
  c->add_option("--prepare", s->prepare,
                "when weights are prepared: `compile`, or `load`: then the artifact has raw ones,\n"
                "or none, and prepares those that it is loaded with")
      ->check(CLI::IsMember({"compile", "load"}))
      ->type_name("WHEN");
  constexpr double kMostPercent = 1e6;
  add_decimal(*c, "--max-growth", s->max_growth, {.least = 0, .greatest = kMostPercent},
              "refuse to write an artifact whose weights take more bytes than the model's, by this many percent")
      ->type_name("PERCENT");
  c->add_flag("--no-bind-weights", s->no_bind_weights, "leave the weights out: the caller prepares and passes them");
  c->add_flag("--keep-state", s->keep_state,
              "let sessions keep the model's state (buffers that it writes): callers neither pass nor get it");
  c->add_option("--precision", s->precision,
                "what products and convolutions of float32 multiply: `float32`, or `bfloat16`, with sums of float32;\n"
                "for that the model is compiled in float32 as well, and what it cost in accuracy is printed")
      ->check(CLI::IsMember({"float32", "bfloat16"}))
      ->type_name("TYPE");
  c->add_option("--tuning", s->tuning, "the plans of kernels that `sunmao tune` found to be faster")->type_name("FILE");
  add_repeated(*c, "--target", s->targets,
               "a level such as x86-64-v3, a processor such as znver4, or host (default);\n"
               "one code image for each")
      ->type_name("TARGET,...");
  add_repeated(*c, "--dim", s->dims, "the range of a symbolic dimension: batch=1..64, or batch=8")
      ->type_name("NAME=RANGE");
  add_repeated(*c, "--name-dim", s->names, "the name of a symbolic dimension, by an input and its axis: x:0=batch")
      ->type_name("INPUT:AXIS=NAME");
  add_pass_options(*c, s->passes);
  c->add_flag("--json", s->json, "report as JSON");
  return {c, [s] { return compile_model(*s); }};
}

}  // namespace sunmao::cli
