// The command `sunmao diff`: compares two models: ops, weights and bytes side by side, and the first layer whose
// numbers differ.
#include <algorithm>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/option_values.h"
#include "cli/pass_options.h"
#include "cli/traced_run.h"
#include "compiler/read_model_file.h"
#include "io/json_writer.h"

namespace sunmao::cli {
namespace {

constexpr double kSameResults = 1e-4;  // largest difference, relative to the results' scale

struct DiffSettings {
  std::string a, b;
  std::vector<std::string> inputs, dims;
  bool json = false;
};

struct Difference {
  std::map<std::string, std::pair<size_t, size_t>> ops;
  std::vector<WeightPair> weights;
  Divergence numbers;
  bool is_same = false;
};

Divergence compare_numbers(const Model& a, const Model& b, const InputRequest& request) {
  const auto [x, y] = run_both(a, b, request);
  double largest = x.results.size() == y.results.size() ? 0 : std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < std::min(x.results.size(), y.results.size()); ++i)
    largest = std::max(largest, relative_difference(x.results[i], y.results[i]));
  Divergence found = largest <= kSameResults ? Divergence{} : find_divergence(x.values, y.values);
  found.largest = largest;
  return found;
}

std::string ops_text(const Difference& d) {
  std::string out = fmt::format("{:<32} {:>10} {:>10}\n", bold("ops"), "a", "b");
  size_t a = 0, b = 0;
  for (const auto& [op, counts] : d.ops) {
    a += counts.first;
    b += counts.second;
    const std::string line = fmt::format("  {:<30} {:>10} {:>10}\n", op, counts.first, counts.second);
    out += counts.first == counts.second ? dim(line) : line;
  }
  return out + fmt::format("  {:<30} {:>10} {:>10}\n", "all", a, b);
}

std::string weight_pairs_text(const Difference& d) {
  std::string out = fmt::format("{:<42} {:>12} {:>12}\n", bold("weights"), "bytes of a", "bytes of b");
  size_t a = 0, b = 0, same = 0;
  for (const WeightPair& w : d.weights) {
    a += w.bytes_a;
    b += w.bytes_b;
    if (!w.name_a.empty() && !w.name_b.empty()) {
      ++same;
      continue;
    }
    out += fmt::format("  {:<40} {:>12} {:>12}\n", w.name_a.empty() ? w.name_b : w.name_a,
                       w.name_a.empty() ? "-" : std::to_string(w.bytes_a),
                       w.name_b.empty() ? "-" : std::to_string(w.bytes_b));
  }
  out += dim(fmt::format("  {} of both models with the same numbers\n", same));
  return out + fmt::format("  {:<40} {:>12} {:>12}\n", "all", a, b);
}

std::string numbers_text(const Difference& d) {
  const Divergence& n = d.numbers;
  std::string out = bold("numbers") + "\n";
  if (d.is_same)
    return out + fmt::format("  {} (largest difference {:.2g} of the results' scale)\n", green("the same"), n.largest);
  out += fmt::format("  {}: the largest difference is {:.2g} of the results' scale\n", red("different"), n.largest);
  if (!n.last_a.empty())
    out += fmt::format("  last layer that agrees   a: {}\n                           b: {}\n", n.last_a, n.last_b);
  if (n.is_found)
    out += fmt::format("  first that differs       a: {}\n                           b: {}\n", n.first_a,
                       n.first_b.empty() ? "nothing" : n.first_b);
  return out;
}

std::string difference_json(const Difference& d) {
  io::JsonWriter w({.indent = 2});
  w.begin_object().key("ops").begin_object();
  for (const auto& [op, counts] : d.ops) w.key(op).begin_array().value(counts.first).value(counts.second).end_array();
  w.end_object().key("weights").begin_array();
  for (const WeightPair& p : d.weights)
    w.begin_object()
        .key("a")
        .value(p.name_a)
        .key("b")
        .value(p.name_b)
        .key("bytes_a")
        .value(p.bytes_a)
        .key("bytes_b")
        .value(p.bytes_b)
        .key("is_reordered")
        .value(p.is_reordered)
        .end_object();
  w.end_array().key("numbers").begin_object().key("same").value(d.is_same).key("largest").value(d.numbers.largest);
  w.key("last_a").value(d.numbers.last_a).key("last_b").value(d.numbers.last_b);
  w.key("first_a").value(d.numbers.first_a).key("first_b").value(d.numbers.first_b);
  return w.end_object().end_object().take() + "\n";
}

int diff_models(const DiffSettings& s) {
  const Model a = read_model_file(s.a), b = read_model_file(s.b);
  Difference d{.ops = count_ops(a, b), .weights = pair_weights(a, b), .numbers = {}};
  d.numbers = compare_numbers(
      a, b,
      {.inputs = s.inputs, .sizes = parse_sizes(s.dims), .recording = nullptr, .recording_name = {}, .prefix = {}});
  d.is_same = d.numbers.largest <= kSameResults;
  write_out(s.json ? difference_json(d) : ops_text(d) + weight_pairs_text(d) + numbers_text(d));
  return d.is_same ? kSuccess : kFailure;
}

}  // namespace

Command add_diff(CLI::App& app) {
  auto s = std::make_shared<DiffSettings>();
  CLI::App* c = app.add_subcommand("diff", "Compare two models");
  c->footer("Examples:\n  sunmao diff model.onnx model.pt2\n  sunmao diff a.onnx b.onnx --dim batch=8 --json");
  c->add_option("A", s->a, "a model file")->required();
  c->add_option("B", s->b, "another one, with inputs of the same shapes")->required();
  add_repeated(*c, "--input", s->inputs, "an input of A: name=random, name=file.npy, name=file.safetensors:tensor")
      ->type_name("NAME=SOURCE");
  add_repeated(*c, "--dim", s->dims, "the size of a symbolic dimension of A: batch=8")->type_name("NAME=SIZE");
  c->add_flag("--json", s->json, "report as JSON");
  return {c, [s] { return diff_models(*s); }};
}

}  // namespace sunmao::cli
