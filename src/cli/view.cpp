// The command `sunmao view`: draws a model, a stage of the pipeline or an artifact as one HTML file, or two of them
// side by side.
#include <algorithm>
#include <filesystem>

#include "cli/artifact_entries.h"
#include "cli/artifact_graph.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/model_options.h"
#include "cli/option_values.h"
#include "cli/output_files.h"
#include "cli/reproducer.h"
#include "cli/traced_run.h"
#include "cli/view_settings.h"
#include "compiler/compile.h"
#include "compiler/read_model_file.h"
#include "compiler/tensor_file.h"
#include "io/concat.h"
#include "io/json.h"
#include "view/module_graph.h"
#include "view/page.h"
#include "view/times.h"

namespace sunmao::cli {
namespace {

constexpr const char* kViewExamples = R"(Examples:
  sunmao view model.onnx                          (writes model.html)
  sunmao view model.pt2 --stop-after fuse-ops -o fused.html
  sunmao view model.onnx --around fuse-kernels    (the module before and after a pass)
  sunmao view model.onnx model.pt2 --numbers      (two models, compared layer by layer)
  sunmao profile model.sunmao --json times.json && sunmao view model.sunmao --profile times.json)";

/// A model as it was read, or after passes, with what it is called.
struct Side {
  Model model;
  std::string stage = "as read";
};

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

view::Graph graph_of_side(const Side& side, const std::string& path) {
  view::Graph graph = view::graph_of(side.model);
  graph.title = file_name(path);
  graph.stage = side.stage;
  return graph;
}

CompileOptions pipeline_options(const ViewSettings& s) {
  CompileOptions options;
  options.targets = parse_targets(s.target.empty() ? std::vector<std::string>() : std::vector{s.target});
  options.dims = parse_ranges(s.dims);
  options.runner = runner_options(s.passes);
  watch_for_failures(options.runner, s.target);
  return options;
}

[[noreturn]] void fail_outside_pipeline(const char* option, const std::string& pass) {
  fail("E0511", {}, fmt::format("{}: {} is not a pass of the pipeline", option, io::quoted(pass)),
       "`sunmao compile MODEL --timing` lists those that run");
}

/// The model as it was read or, where a pass is named to stop at, after that pass.
Side staged(const Model& model, const ViewSettings& s) {
  if (s.passes.stop_after.empty()) return {.model = model};
  const RunReport report = run_pipeline(model, pipeline_options(s));
  if (!report.stopped) fail_outside_pipeline("--stop-after", s.passes.stop_after);
  return {.model = {report.module, model.weights}, .stage = "after " + s.passes.stop_after};
}

/// The module before and after the first run of a pass.
std::vector<Side> around_pass(const Model& model, const ViewSettings& s) {
  ViewSettings stopping = s;
  stopping.passes.stop_after = s.around;
  CompileOptions options = pipeline_options(stopping);
  std::optional<Module> before;
  const auto begin = options.runner.on_begin;
  options.runner.on_begin = [&](const PipelineStep& step, const Module& input) {
    if (s.around == step.pass->name) before = input;
    if (begin) begin(step, input);
  };
  const RunReport report = run_pipeline(model, options);
  if (!before) fail_outside_pipeline("--around", s.around);
  return {{.model = {*before, model.weights}, .stage = "before " + s.around},
          {.model = {report.module, model.weights}, .stage = "after " + s.around}};
}

/// The values of a run by node of a function; null where they are not known. Values inside of branches and closures are
/// not traced, but may have the names of traced ones.
std::vector<const Array*> traced_values(const view::GraphFunction& f, const Trace& trace) {
  std::vector<const Array*> out(f.nodes.size(), nullptr);
  size_t node = 0;
  const auto is_of = [&](const view::GraphNode& n, const TracedValue& v) {
    return !n.is_inner && (n.name == v.name || n.alias == v.name);
  };
  for (const TracedValue& v : trace.values) {
    size_t next = node;
    while (next < f.nodes.size() && !is_of(f.nodes[next], v)) ++next;
    if (next == f.nodes.size()) continue;
    out[next] = &v.data;
    node = next;
  }
  return out;
}

/// Pairs the nodes of `main` by their values, and says how much these differ.
void compare_values(view::PageContent& page, const Trace& a, const Trace& b) {
  const view::GraphFunction &main_a = *page.sides[0].find("main"), &main_b = *page.sides[1].find("main");
  const auto here = traced_values(main_a, a), there = traced_values(main_b, b);
  const auto samples = [](const std::vector<const Array*>& values) {
    view::ValueSamples out;
    for (const Array* v : values) out.push_back(v ? std::optional(view::sample_of(*v)) : std::nullopt);
    return out;
  };
  view::FunctionMatch& match = page.matches["main"] = view::match(main_a, main_b, samples(here), samples(there));
  size_t compared = 0;
  for (size_t i = 0; i < match.a.size(); ++i) {
    if (!match.a[i].other || !here[i] || !there[*match.a[i].other]) continue;
    const Array &x = *here[i], &y = *there[*match.a[i].other];
    if (x.shape() != y.shape() || x.dtype() != y.dtype()) continue;
    match.a[i].difference = match.b[*match.a[i].other].difference = relative_difference(x, y);
    ++compared;
  }
  if (compared == 0)
    write_note("no values were compared: no pair of ops of `main` has float tensors of equal shapes and dtypes");
}

void add_profile_times(view::PageContent& page, const std::string& path) {
  const io::Bytes text = map_or_fail(path);
  const io::Result<io::JsonDocument> profile = io::JsonDocument::parse(text.text());
  if (!profile.ok())
    fail(profile.code(), {}, io::quoted(path) + ": " + profile.status().message(), profile.status().help());
  if (!profile->root()["kernels"].is_array())
    fail("E0013", {}, fmt::format("{} is not a profile", io::quoted(path)),
         "`sunmao profile MODEL --json FILE` writes one");
  constexpr double kAlmostAll = 0.98;
  double largest = 0;
  for (view::Graph& side : page.sides) {
    const double share = view::add_times(side, profile->root());
    largest = std::max(largest, share);
    if (share < kAlmostAll)
      write_note(
          fmt::format("{}: {:.0f} % of the profile's time belongs to nodes that are drawn", side.title, 100 * share));
  }
  if (largest <= 0)
    fail("E0013", {}, fmt::format("{} is the profile of another model: none of its kernels are here", io::quoted(path)),
         "`sunmao profile MODEL --json FILE` writes the times of MODEL, for a picture of the same MODEL");
}

/// Where the page goes; empty for standard output.
std::string page_path(const ViewSettings& s) {
  if (s.output == "-") return {};
  if (!s.output.empty()) return s.output;
  return std::filesystem::path(s.model).replace_extension(".html").string();
}

void add_side(view::PageContent& page, view::Graph side) {
  if (side.functions.empty())
    fail("E0003", {}, fmt::format("{}: the module has no functions", io::quoted(side.title)),
         "a page shows the functions of a module");
  page.sides.push_back(std::move(side));
}

int view_model(const ViewSettings& s) {
  const std::string path = page_path(s);
  check_view_settings(s);
  std::vector<std::string> files = model_files(s.model);
  for (const std::string& file : {s.other, s.profile}) files.push_back(file);
  files.insert(files.end(), s.ops.begin(), s.ops.end());
  check_outputs({path}, files);
  view::PageContent page{.title = file_name(s.model), .sides = {}, .matches = {}, .on_notice = write_note};
  std::vector<Model> models;
  const std::vector<Module> ops = read_op_modules(s.ops);
  for (const std::string& file : {s.model, s.other}) {
    if (file.empty()) continue;
    check_is_no_object(file);
    if (is_artifact(file)) {
      add_side(page, graph_of_artifact(file));
      continue;
    }
    std::vector<std::string> others;
    models.push_back(read_model_file(
        file,
        {.files = &others, .dims = parse_ranges(s.numbers ? std::vector<std::string>() : s.dims), .custom_ops = ops}));
    check_outputs({path}, others);
    if (s.around.empty())
      add_side(page, graph_of_side(staged(models.back(), s), file));
    else
      for (const Side& side : around_pass(models.back(), s)) add_side(page, graph_of_side(side, file));
  }
  if (page.sides.size() == 2) {
    page.title += " and " + file_name(s.other.empty() ? s.model : s.other);
    for (const view::GraphFunction& f : page.sides[0].functions)
      if (const view::GraphFunction* other = page.sides[1].find(f.name))
        page.matches.emplace(f.name, view::match(f, *other));
  }
  if (s.numbers) {
    const auto [a, b] = run_both(
        models[0], models[1],
        {.inputs = s.inputs, .sizes = parse_sizes(s.dims), .recording = nullptr, .recording_name = {}, .prefix = {}});
    compare_values(page, a, b);
  }
  if (!s.profile.empty()) add_profile_times(page, s.profile);
  const std::string html = view::page_of(page);
  if (path.empty()) {
    write_out(html);
    return kSuccess;
  }
  write_or_fail(path, {io::Bytes::borrowed(std::as_bytes(std::span(html)))});
  size_t nodes = 0;
  for (const view::Graph& side : page.sides)
    for (const view::GraphFunction& f : side.functions) nodes += f.nodes.size();
  write_out(fmt::format("{}  {}  {} nodes; open it in a browser\n", bold(path), byte_size(html.size()), nodes));
  return kSuccess;
}

}  // namespace

Command add_view(CLI::App& app) {
  auto s = std::make_shared<ViewSettings>();
  CLI::App* c = app.add_subcommand("view", "Draw a model or an artifact, or two side by side, as one HTML file");
  c->footer(kViewExamples);
  c->add_option("MODEL", s->model, "an ONNX model, a .pt2 archive of torch.export, a script (.py), or an artifact")
      ->required();
  c->add_option("OTHER", s->other, "another one, drawn beside it, with what differs marked");
  c->add_option("-o,--output", s->output, "where the page goes, `-` for standard output; default: beside the model")
      ->type_name("FILE.html");
  c->add_option("--around", s->around, "draw the module before and after this pass of the pipeline")->type_name("PASS");
  c->add_flag("--numbers", s->numbers, "run both models, and show how much their values differ, layer by layer");
  add_repeated(*c, "--input", s->inputs, "with --numbers, an input: name=random, name=file.npy")
      ->type_name("NAME=SOURCE");
  add_repeated(*c, "--dim", s->dims, "the range of a symbolic dimension; with --numbers, its size")
      ->type_name("NAME=RANGE");
  c->add_option("--profile", s->profile, "times of kernels, from `sunmao profile --json`")->type_name("FILE.json");
  c->add_option("--target", s->target, "the machine that passes plan for; default: host")->type_name("TARGET");
  add_ops_option(*c, s->ops);
  c->add_option("--stop-after", s->passes.stop_after, "draw the module after this pass of the pipeline")
      ->type_name("PASS");
  add_repeated(*c, "--disable", s->passes.disabled, "passes to leave out")->type_name("PASS,...");
  return {c, [s] { return view_model(*s); }};
}

}  // namespace sunmao::cli
