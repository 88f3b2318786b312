// The command `sunmao check`: compares the layers of a compiled model with a reference, and names the first that
// differs.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/check_report.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/model_options.h"
#include "cli/option_values.h"
#include "cli/output_files.h"
#include "cli/pass_options.h"
#include "cli/traced_run.h"
#include "compiler/compile.h"
#include "compiler/read_model_file.h"
#include "compiler/tensor_file.h"
#include "eval/element.h"
#include "support/diagnostic.h"

namespace sunmao::cli {
namespace {

constexpr const char *kEvaluator = "evaluator", *kOnnxRuntime = "onnxruntime", *kPyTorch = "pytorch";
// Tensors of a recording: the value of a layer by its name, and that of a node by the node's.
constexpr const char *kLayerTensor = "layer.", *kNodeTensor = "node.";

struct CheckSettings {
  std::string model, weights, against = kEvaluator, record, target;
  std::vector<std::string> inputs, dims, disabled;
  bool bisects = false;
  bool json = false;
};

constexpr const char* kCheckExamples = R"(Examples:
  sunmao check model.onnx
  sunmao check model.onnx --input x=x.npy --dim batch=4 --bisect
  sunmao check model.onnx --record good.safetensors
  sunmao check changed.onnx --against good.safetensors
  python -m sunmao check model.onnx --against onnxruntime
  python -m sunmao check model.pt2 --against pytorch)";

CompileOptions check_options(const CheckSettings& s) {
  CompileOptions options;
  options.targets = parse_targets(s.target.empty() ? std::vector<std::string>() : std::vector{s.target});
  PassOptions passes;
  passes.disabled = s.disabled;
  options.runner = runner_options(passes);
  return options;
}

/// The values of a run: the model's results, then its layers.
struct LayerValues {
  std::vector<Array> results, layers;
};

LayerValues values_of(Runnable& runnable, size_t results, const std::vector<HostTensor>& inputs) {
  runnable.run(inputs);
  std::vector<Array> all = runnable.outputs();
  LayerValues out;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(results);
  out.results.assign(all.begin(), middle);
  out.layers.assign(middle, all.end());
  return out;
}

/// The tolerance of the dtype, at the scale of the largest element: rounding grows from layer to layer, and an element
/// near zero has the errors of the large terms that it is the sum of.
Tolerance tolerance_at_scale(const Array& expected) {
  const Tolerance t = tolerance_of(expected.dtype());
  double scale = 1;
  for (int64_t i = 0; i < expected.count() && expected.dtype().is_float(); ++i)
    if (const double v = std::abs(number_at(expected, i)); std::isfinite(v)) scale = std::max(scale, v);
  return {.absolute = std::max(t.absolute, t.relative) * scale, .relative = t.relative};
}

/// What compiled code has to compute: layers and results that are absent are not known.
struct Reference {
  std::map<size_t, Array> layers;
  std::map<size_t, Array> results;
};

Reference recorded(const Weights& recording, const LayerTrace& trace, const std::string& file) {
  Reference out;
  const auto find_tensor = [&](const std::string& name) {
    auto it = recording.find(name);
    return it == recording.end() ? std::nullopt : std::optional(it->second);
  };
  for (size_t i = 0; i < trace.layers.size(); ++i) {
    std::optional<Array> value = find_tensor(kLayerTensor + trace.layers[i].name);
    if (!value && !trace.layers[i].node.empty()) value = find_tensor(kNodeTensor + trace.layers[i].node);
    if (value) out.layers.emplace(i, *value);
  }
  for (size_t i = 0; i < trace.results; ++i)
    if (auto value = find_tensor(fmt::format("output.{}", i))) out.results.emplace(i, *value);
  if (out.layers.empty() && out.results.empty())
    fail("E0053", {}, fmt::format("`{}` has no value of a layer of this model", file),
         "`sunmao check MODEL --record FILE.safetensors` writes one: `layer.NAME`, `output.0`, `input.0` …");
  return out;
}

Reference evaluated(const LayerTrace& trace, const std::vector<HostTensor>& inputs) {
  const LayerValues values = values_of(*evaluate_model(trace.model, "main"), trace.results, inputs);
  Reference out;
  for (size_t i = 0; i < values.layers.size(); ++i) out.layers.emplace(i, values.layers[i]);
  for (size_t i = 0; i < values.results.size(); ++i) out.results.emplace(i, values.results[i]);
  return out;
}

std::optional<LayerDifference> difference_at(size_t layer, const Array& expected, const Array& got) {
  const Tolerance tolerance = tolerance_at_scale(expected);
  LayerDifference d{.layer = layer, .comparison = compare(expected, got, tolerance), .shape = expected.shape()};
  const Comparison& c = d.comparison;
  if (c.is_equal()) return std::nullopt;
  if (!c.mismatch.empty()) return d;
  d.index = accepts(tolerance, c.expected, c.largest) ? c.first : c.worst;
  d.expected = number_at(expected, d.index);
  d.got = number_at(got, d.index);
  d.error = d.index == c.worst ? c.largest : std::abs(d.got - d.expected);
  d.tolerance = tolerance.absolute + tolerance.relative * std::abs(d.expected);
  return d;
}

/// The values of parameters, with what to call them.
using GivenValues = std::unordered_map<Ref<Var>, std::pair<std::string, Array>>;

/// Finds the source of what is not finite among the parameters and constants of a layer.
template <class Find>
std::string tainted_source(const Layer& layer, const GivenValues& given, Find find) {
  for (const Ref<Var>& p : layer.params)
    if (auto it = given.find(p); it != given.end() && find(it->second.second)) return it->second.first;
  for (const auto& [name, data] : layer.constants)
    if (find(data)) return name;
  return {};
}

/// One run of `check`.
class Checker {
 public:
  explicit Checker(const CheckSettings& s)
      : settings_(s), options_(check_options(s)), model_(read_model_file(s.model, {.weights_path = s.weights})),
        trace_(trace_layers(model_)), runnable_(compiled(trace_.model, options_)) {
    if (takes_file()) recording_ = read_tensors(s.against);
    inputs_ = inputs_that_run(*runnable_, request());
    values_ = values_of(*runnable_, trace_.results, inputs_);
  }

  void record() const {
    Weights out;
    for (size_t i = 0; i < inputs_.size(); ++i) out.emplace(fmt::format("input.{}", i), inputs_[i].array());
    for (size_t i = 0; i < values_.results.size(); ++i) out.emplace(fmt::format("output.{}", i), values_.results[i]);
    for (size_t i = 0; i < values_.layers.size(); ++i)
      out.emplace(kLayerTensor + trace_.layers[i].name, values_.layers[i]);
    write_tensors(settings_.record, out);
    write_out(fmt::format("{}  {} layers\n", bold(settings_.record), values_.layers.size()));
  }

  CheckReport report() const {
    const Reference reference =
        takes_file() ? recorded(recording_, trace_, settings_.against) : evaluated(trace_, inputs_);
    CheckReport out{
        .reference = takes_file() ? std::filesystem::path(settings_.against).filename().string() : "the evaluator",
        .layers = trace_.layers};
    out.compared = reference.layers.size();
    out.compared_results = reference.results.size();
    for (const auto& [layer, expected] : reference.layers)
      if ((out.first = difference_at(layer, expected, values_.layers[layer]))) break;
    if (!out.first) compare_results(reference, out);
    find_not_finite(out);
    if (settings_.bisects) out.blamed = blamed();
    return out;
  }

 private:
  bool takes_file() const { return settings_.against != kEvaluator; }

  InputRequest request() const {
    const bool has_inputs = recording_.contains("input.0");
    return {.inputs = settings_.inputs,
            .sizes = parse_sizes(settings_.dims),
            .recording = has_inputs ? &recording_ : nullptr,
            .recording_name = settings_.against,
            .prefix = {}};
  }

  /// Compares the results of the model as it is compiled without its layers, where kernels are fused as usual.
  void compare_results(const Reference& reference, CheckReport& out) const {
    const LayerValues values = values_of(*compiled(model_, options_), trace_.results, inputs_);
    for (const auto& [i, expected] : reference.results) {
      const std::optional<LayerDifference> d = difference_at(0, expected, values.results[i]);
      if (!d) continue;
      out.first = first_alone(reference);
      if (!out.first)
        out.results = fmt::format("result {}: {} of {} elements, the largest error is {:.3g}", i,
                                  d->comparison.differing, d->comparison.count, d->comparison.largest);
      return;
    }
  }

  std::optional<LayerDifference> difference_alone(const Reference& reference, size_t layer) const {
    const std::unique_ptr<Runnable> alone = compiled(with_layer_alone(model_, trace_.layers[layer]), options_);
    alone->run(inputs_);
    std::optional<LayerDifference> d = difference_at(layer, reference.layers.at(layer), alone->outputs().at(0));
    if (d) d->is_alone = true;
    return d;
  }

  /// Finds a layer that differs as the only result, while the compared one before it does not.
  std::optional<LayerDifference> first_alone(const Reference& reference) const {
    std::vector<size_t> layers;
    for (const auto& [layer, expected] : reference.layers) layers.push_back(layer);
    std::optional<LayerDifference> found;
    for (size_t low = 0, high = layers.size(); low < high;) {
      const size_t middle = low + (high - low) / 2;
      std::optional<LayerDifference> d = difference_alone(reference, layers[middle]);
      if (d) {
        found = std::move(d);
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return found;
  }

  template <class Find>
  void find_first(CheckReport& out, Find find) const {
    std::vector<bool> has(values_.layers.size());
    const GivenValues given = parameters();
    for (size_t i = 0; i < values_.layers.size(); ++i) {
      const Layer& layer = trace_.layers[i];
      const std::optional<NotFinite> found = find(values_.layers[i]);
      has[i] = found.has_value();
      if (!found || std::ranges::any_of(layer.layers, [&](size_t from) { return has[from]; })) continue;
      std::string source = tainted_source(layer, given, find);
      if (source.empty()) source = infinite_source(layer, given);
      out.not_finite.push_back({i, *found, values_.layers[i].shape(), std::move(source)});
      return;
    }
  }

  /// Says where a layer that has NaN without a NaN before it gets an infinity from.
  std::string infinite_source(const Layer& layer, const GivenValues& given) const {
    std::string source = tainted_source(layer, given, find_infinity);
    for (size_t from : layer.layers)
      if (source.empty() && find_infinity(values_.layers[from]))
        source = fmt::format("layer `{}`", trace_.layers[from].name);
    return source.empty() ? source : "an infinity of " + source;
  }

  void find_not_finite(CheckReport& out) const {
    find_first(out, find_nan);
    find_first(out, find_infinity);
  }

  /// The values of the parameters of `main`, with what to call them.
  GivenValues parameters() const {
    GivenValues out;
    const Ref<Function> main = model_.module.find_as<Function>("main");
    for (size_t i = 0; i < main->params.size(); ++i) {
      const Ref<Var>& p = main->params[i];
      if (i < inputs_.size())
        out.emplace(p, std::pair(fmt::format("input `{}`", p->name), inputs_[i].array()));
      else if (auto it = model_.weights.find(p->name); it != model_.weights.end())
        out.emplace(p, std::pair(fmt::format("weight `{}`", p->name), it->second));
    }
    return out;
  }

  /// Runs the pipeline with validation, and says which pass changes a number.
  std::string blamed() const {
    CompileOptions options = options_;
    options.runner.validate_each = true;
    options.runner.validation.weights = model_.weights;
    try {
      run_pipeline(model_, options);
    } catch (const UserError& error) {
      if (error.diagnostics().front().code != "E0541") throw;
      return error.diagnostics().front().message;
    }
    return "no pass changes a number: code generation or a kernel does, or the model itself is another one";
  }

  const CheckSettings& settings_;
  const CompileOptions options_;
  const Model model_;
  const LayerTrace trace_;
  const std::unique_ptr<Runnable> runnable_;
  Weights recording_;
  std::vector<HostTensor> inputs_;
  LayerValues values_;
};

void check_check_settings(const CheckSettings& s) {
  check_is_model(s.model);
  for (const char* other : {kOnnxRuntime, kPyTorch})
    if (s.against == other)
      fail("E0054", {}, fmt::format("--against {} runs in Python, and this program is none", other),
           fmt::format("python -m sunmao check {} --against {}", s.model, other));
  if (!s.record.empty() && (s.against != kEvaluator || s.bisects))
    fail("E0004", {}, "--record goes with neither --against nor --bisect", "it writes what others are compared with");
  std::vector<std::string> inputs = model_files(s.model);
  inputs.insert(inputs.end(), {s.weights, s.against});
  check_outputs({s.record}, inputs);
}

int check_command_line(const CheckSettings& s) {
  check_check_settings(s);
  const Checker checker(s);
  if (!s.record.empty()) {
    checker.record();
    return kSuccess;
  }
  const CheckReport report = checker.report();
  write_out(s.json ? check_json(report) : check_text(report));
  return report.is_same() ? kSuccess : kFailure;
}

}  // namespace

Command add_check(CLI::App& app) {
  auto s = std::make_shared<CheckSettings>();
  CLI::App* c = app.add_subcommand("check", "Find the layer where a compiled model leaves its reference");
  c->footer(kCheckExamples);
  c->add_option("MODEL", s->model, "an ONNX model, a .pt2 archive of torch.export, or a script (.py)")->required();
  add_repeated(
      *c, "--input", s->inputs,
      "random, zeros, file.npy, file.npz[:array] or file.safetensors:tensor; default: those of the recording,\n"
      "or random")
      ->type_name("NAME=SOURCE");
  add_repeated(*c, "--dim", s->dims, "the size of a symbolic dimension in inputs that are made up")
      ->type_name("NAME=SIZE");
  c->add_option("--weights", s->weights, "weights by name, in place of the model's own")->type_name("FILE.safetensors");
  c->add_option("--against", s->against,
                "the reference: `evaluator` (default), a recording, or in Python `onnxruntime` or `pytorch`")
      ->type_name("REFERENCE");
  c->add_option("--record", s->record, "write the inputs and what compiled code computes for each layer, and stop")
      ->type_name("FILE.safetensors");
  c->add_option("--target", s->target, "what the model is compiled for; default: host")->type_name("TARGET");
  add_repeated(*c, "--disable", s->disabled, "passes to leave out")->type_name("PASS,...");
  c->add_flag("--bisect", s->bisects, "run the passes one by one in the evaluator, and name the one to blame");
  c->add_flag("--json", s->json, "report as JSON");
  return {c, [s] { return check_command_line(*s); }};
}

}  // namespace sunmao::cli
