#include "cli/run_report.h"

#include <algorithm>

#include "cli/console.h"
#include "eval/element.h"
#include "io/json_writer.h"
#include "support/diagnostic.h"

namespace sunmao::cli {
namespace {

constexpr int64_t kShown = 6;  // number of output elements shown

std::string type_text(const Array& a) {
  return fmt::format("{} ({}{})", a.dtype().str(), fmt::join(a.shape(), ", "), a.rank() == 1 ? "," : "");
}

std::string element_text(const Array& a, int64_t index) {
  const Number n = load_element(a, index);
  return a.dtype().is_float() ? fmt::format("{:.6g}", n.f) : std::to_string(n.i);
}

std::string preview(const Array& a) {
  std::string out;
  for (int64_t i = 0; i < std::min(a.count(), kShown); ++i) out += (i ? " " : "") + element_text(a, i);
  return out + (a.count() > kShown ? " …" : "");
}

std::string verdict(const Comparison& c) {
  if (!c.mismatch.empty()) return red("✗ " + c.mismatch);
  if (!c.is_equal()) return red(fmt::format("✗ {} of {} elements differ", c.differing, c.count));
  return green(fmt::format("✓ largest error {:.3g}", c.largest));
}

std::string index_text(const Array& a, int64_t index) {
  std::vector<int64_t> indices(a.shape().size());
  for (size_t i = indices.size(); i-- > 0;) {
    indices[i] = index % a.shape()[i];
    index /= a.shape()[i];
  }
  return fmt::format("[{}]", fmt::join(indices, ", "));
}

double median(const std::vector<double>& sorted) { return sorted[sorted.size() / 2]; }

Diagnostic difference(const std::string& name, const Array& got, const Comparison& c) {
  if (!c.mismatch.empty())
    return {.code = "E0010", .message = fmt::format("{}: {}", name, c.mismatch), .span = {}, .notes = {}, .help = {}};
  const Tolerance t = tolerance_of(got.dtype());
  return {.code = "E0010",
          .message = fmt::format(
              "{}: {} of {} elements differ; the largest difference is {:.3g} at {}: expected {:.9g}, got {:.9g}", name,
              c.differing, c.count, c.largest, index_text(got, c.worst), c.expected, c.got),
          .span = {},
          .notes = {fmt::format("tolerance: {} + {} * |expected|", t.absolute, t.relative)},
          .help = "--evaluate runs the reference evaluator: does it agree with the recording?"};
}

void write_comparison(io::JsonWriter& w, const Comparison& c) {
  w.key("equal").value(c.is_equal()).key("largest_error").value(c.largest).key("differing").value(c.differing);
  if (!c.mismatch.empty()) w.key("mismatch").value(c.mismatch);
}

void write_result(io::JsonWriter& w, const RunResult& r) {
  w.begin_object().key("prefix").value(r.prefix).key("runs").value(r.seconds.size());
  w.key("seconds_fastest").value(r.seconds.front()).key("seconds_median").value(median(r.seconds));
  w.key("outputs").begin_array();
  for (size_t i = 0; i < r.outputs.size(); ++i) {
    w.begin_object()
        .key("name")
        .value(r.names[i])
        .key("dtype")
        .value(r.outputs[i].dtype().str())
        .key("shape")
        .begin_array();
    for (int64_t d : r.outputs[i].shape()) w.value(d);
    w.end_array();
    if (i < r.comparisons.size()) write_comparison(w, r.comparisons[i]);
    w.end_object();
  }
  w.end_array().end_object();
}

}  // namespace

std::string text_report(const std::vector<RunResult>& results, double loading) {
  std::string out;
  for (const RunResult& r : results) {
    for (size_t i = 0; i < r.outputs.size(); ++i) {
      out +=
          fmt::format("{}{}  {}  {}", r.prefix, bold(r.names[i]), type_text(r.outputs[i]), dim(preview(r.outputs[i])));
      out += i < r.comparisons.size() ? fmt::format("  {}\n", verdict(r.comparisons[i])) : "\n";
    }
    if (r.seconds.size() > 1)
      out += fmt::format("{} runs: fastest {}, median {}\n", r.seconds.size(), duration(r.seconds.front()),
                         duration(median(r.seconds)));
  }
  return out + dim(fmt::format("ready in {}", duration(loading))) + "\n";
}

std::string json_report(const std::vector<RunResult>& results, double loading) {
  io::JsonWriter w({.indent = 2});
  w.begin_object().key("seconds_loading").value(loading).key("results").begin_array();
  for (const RunResult& r : results) write_result(w, r);
  return w.end_array().end_object().take() + "\n";
}

void fail_on_difference(const std::vector<RunResult>& results) {
  std::vector<Diagnostic> found;
  for (const RunResult& r : results)
    for (size_t i = 0; i < r.comparisons.size(); ++i)
      if (!r.comparisons[i].is_equal())
        found.push_back(difference(fmt::format("{}output.{}", r.prefix, i), r.outputs[i], r.comparisons[i]));
  if (!found.empty()) throw UserError(std::move(found));
}

}  // namespace sunmao::cli
