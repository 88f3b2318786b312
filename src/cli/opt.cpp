// The command `sunmao opt`: prints a model as a script, as read or after passes.
#include "cli/command.h"
#include "cli/console.h"
#include "cli/model_options.h"
#include "cli/option_values.h"
#include "cli/output_files.h"
#include "cli/pass_options.h"
#include "cli/reproducer.h"
#include "compiler/compile.h"
#include "compiler/read_model_file.h"
#include "compiler/tensor_file.h"
#include "passes/pass_arguments.h"
#include "script/print.h"

namespace sunmao::cli {
namespace {

struct OptSettings {
  std::string model, output, weights_output, target;
  std::vector<std::string> names, dims, ops;
  PassOptions passes;
  bool pipeline = false;
};

constexpr const char* kOptExamples = R"(Examples:
  sunmao opt model.onnx
  sunmao opt model.py --passes normalize,fold-constants -o folded.py
  sunmao opt model.py --passes 'convert-to-dataflow(min_size=3)'
  sunmao opt model.pt2 --stop-after lift-transform-params --verify=each
  sunmao opt model.onnx --pipeline --validate=each -o kernels.py
  sunmao opt model.py --explain lift-transform-params)";

std::string pass_list() {
  std::string out = "\nPasses:\n";
  for (const Pass& p : all_passes()) {
    out += fmt::format("  {:<34} {}\n", p.name, p.summary);
    for (const PassParam& param : p.params) out += fmt::format("    {:<32} {}\n", param.name, param.doc);
  }
  return out;
}

std::vector<PipelineStep> named_steps(const std::vector<std::string>& lists) {
  std::vector<PipelineStep> steps;
  for (const std::string& list : lists)
    for (PassCall& call : parse_pass_calls(list, "--passes"))
      steps.push_back({call.pass, Stage::Raw, std::move(call.arguments)});
  return steps;
}

RunReport run_named(const Model& model, const OptSettings& s, const CompileOptions& options) {
  const std::vector<PipelineStep> steps = named_steps(s.names.empty() ? s.passes.explain : s.names);
  verify_or_fail(model.module, Stage::Raw);
  PassContext context;
  context.target = options.targets.front();
  RunnerOptions runner = options.runner;
  runner.validation.weights = model.weights;
  return run_passes(model.module, steps, context, runner);
}

void check_opt_settings(const OptSettings& s) {
  if (s.pipeline && !s.names.empty())
    fail("E0004", {}, "--passes and --pipeline do not go together",
         "--passes runs the passes you name, --pipeline all of `compile`");
  if (!s.names.empty() && !s.dims.empty())
    fail("E0004", {}, "--dim and --passes do not go together", "ranges are given to the pipeline");
}

// Large constants cannot be part of the text on standard output; a comment and a note on standard error say so.
void print_script(const Module& module) {
  const PrintResult script = print_with_constants(module);
  if (!script.constants.empty()) {
    uint64_t bytes = 0;
    for (const Array& constant : script.constants) bytes += constant.size_bytes();
    const std::string note =
        fmt::format("the text lacks the script's large constants ({} of {}): `-o FILE.py` writes them beside it",
                    script.constants.size(), byte_size(bytes));
    write_out("# " + note + "\n");
    write_note(note);
  }
  write_out(script.text + "\n");
}

int apply_passes(const OptSettings& s) {
  check_opt_settings(s);
  CompileOptions options;
  options.targets = parse_targets(s.target.empty() ? std::vector<std::string>() : std::vector{s.target});
  options.dims = parse_ranges(s.dims);
  options.runner = runner_options(s.passes);
  watch_for_failures(options.runner, s.target);
  std::vector<std::string> files = model_files(s.model), outputs = script_files(s.output);
  outputs.push_back(s.weights_output);
  files.insert(files.end(), s.ops.begin(), s.ops.end());
  check_outputs(outputs, files);
  const Model model =
      read_model_file(s.model, {.files = &files, .dims = options.dims, .custom_ops = read_op_modules(s.ops)});
  check_outputs(outputs, files);
  const bool is_asked_why = !s.passes.explain.empty() && s.names.empty();
  const bool pipeline = s.pipeline || !s.passes.stop_after.empty() || !s.dims.empty();
  // Without --passes, --explain prints explanations instead of the script on standard output; it runs the explained
  // passes, or the pipeline if another option asks for it.
  if (is_asked_why) options.runner.on_explain = [](const std::string& line) { write_out(line + "\n"); };
  const RunReport report = s.names.empty() && pipeline ? run_pipeline(model, options) : run_named(model, s, options);
  if (s.passes.timing) write_err(timing_table(report.timings));
  if (!s.weights_output.empty()) write_tensors(s.weights_output, model.weights);
  if (s.output.empty() && !is_asked_why)
    print_script(report.module);
  else if (!s.output.empty())
    write_script_file(s.output, report.module);
  return kSuccess;
}

}  // namespace

Command add_opt(CLI::App& app) {
  auto s = std::make_shared<OptSettings>();
  CLI::App* c = app.add_subcommand("opt", "Print a model as script, as read or after passes");
  c->footer(kOptExamples + ("\n" + pass_list()));
  c->add_option("MODEL", s->model, "an ONNX model, a .pt2 archive of torch.export, or a script (.py)")->required();
  add_repeated(*c, "--passes", s->names, "the passes to run, in this order")->type_name("PASS,...");
  add_ops_option(*c, s->ops);
  c->add_flag("--pipeline", s->pipeline, "run the pipeline of `compile`; --stop-after does so too");
  c->add_option("--target", s->target, "the machine that passes plan for; default: host")->type_name("TARGET");
  add_repeated(*c, "--dim", s->dims, "the range of a symbolic dimension: batch=1..64")->type_name("NAME=RANGE");
  c->add_option("-o,--output", s->output, "where the script goes; default: standard output")->type_name("FILE");
  c->add_option("--save-weights", s->weights_output, "where the model's weights go, by name")
      ->type_name("FILE.safetensors");
  add_pass_options(*c, s->passes);
  return {c, [s] { return apply_passes(*s); }};
}

}  // namespace sunmao::cli
