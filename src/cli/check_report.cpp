#include "cli/check_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "cli/console.h"
#include "io/json_writer.h"

namespace sunmao::cli {
namespace {

std::vector<int64_t> indices_of(const std::vector<int64_t>& shape, int64_t index) {
  std::vector<int64_t> out(shape.size());
  for (size_t i = out.size(); i-- > 0; index /= shape[i]) out[i] = index % shape[i];
  return out;
}

std::string place_text(const std::vector<int64_t>& shape, int64_t index) {
  return fmt::format("[{}]", fmt::join(indices_of(shape, index), ", "));
}

std::string number_text(double value) { return std::isnan(value) ? "nan" : fmt::format("{:.9g}", value); }

std::string layer_text(const Layer& layer) {
  return fmt::format("{} ({}){}", bold(layer.name), layer.op, layer.place.empty() ? "" : "  " + dim(layer.place));
}

std::string difference_text(const CheckReport& r) {
  const LayerDifference& d = *r.first;
  const Comparison& c = d.comparison;
  std::string out = fmt::format("{}  {}\n", red("first layer that differs"), layer_text(r.layers[d.layer]));
  if (!c.mismatch.empty()) return out + fmt::format("  {}\n", c.mismatch);
  out += fmt::format("  element {}: expected {}, got {}; error {:.3g}, tolerance {:.3g}\n",
                     place_text(d.shape, d.index), number_text(d.expected), number_text(d.got), d.error, d.tolerance);
  out +=
      fmt::format("  {} of {} elements differ, the first at {}\n", c.differing, c.count, place_text(d.shape, c.first));
  if (d.is_alone)
    out += "  only when the layers before it are not kept: what is fused or planned together is at fault\n";
  return out;
}

std::string not_finite_text(const CheckReport& r, const LayerNotFinite& n) {
  const std::string kind = std::isnan(n.found.value) ? "NaN" : "infinity";
  const std::string where =
      fmt::format("  element {}: {}", place_text(n.shape, n.found.index), number_text(n.found.value));
  if (n.source.empty())
    return fmt::format("{}  {}\n{}, computed from finite values\n", red(fmt::format("first {}", kind)),
                       layer_text(r.layers[n.layer]), where);
  return fmt::format("{}  {}\n{}, from {}\n", red(fmt::format("first {}", kind)), layer_text(r.layers[n.layer]), where,
                     n.source);
}

/// What was compared. Results are named where no layer was: they are all that "the same" stands for then.
std::string compared_text(const CheckReport& r) {
  if (r.compared > 0)
    return fmt::format("{} of {} layers compared with {}\n", r.compared, r.layers.size(), r.reference);
  const std::string layers =
      r.layers.empty() ? "the model has no layers" : fmt::format("0 of {} layers", r.layers.size());
  if (r.compared_results == 0) return fmt::format("{} and no results: there is nothing to compare\n", layers);
  return fmt::format("{}; {} result{} compared with {}\n", layers, r.compared_results,
                     r.compared_results == 1 ? "" : "s", r.reference);
}

/// Numbers that JSON does not have are texts.
void write_number(io::JsonWriter& w, const char* key, double value) {
  w.key(key);
  if (std::isfinite(value))
    w.value(value);
  else
    w.value(number_text(value));
}

void write_place(io::JsonWriter& w, const Layer& layer, const std::vector<int64_t>& shape, int64_t index) {
  w.key("layer").value(layer.name).key("op").value(layer.op).key("place").value(layer.place);
  w.key("index").begin_array();
  for (int64_t i : indices_of(shape, index)) w.value(i);
  w.end_array();
}

void write_difference(io::JsonWriter& w, const CheckReport& r) {
  const LayerDifference& d = *r.first;
  const Comparison& c = d.comparison;
  w.key("first").begin_object();
  write_place(w, r.layers[d.layer], d.shape, d.index);
  w.key("mismatch").value(c.mismatch);
  write_number(w, "expected", d.expected);
  write_number(w, "got", d.got);
  write_number(w, "error", d.error);
  write_number(w, "tolerance", d.tolerance);
  w.key("differing").value(c.differing).key("count").value(c.count).key("is_alone").value(d.is_alone).end_object();
}

}  // namespace

std::string check_text(const CheckReport& r) {
  std::string out = compared_text(r);
  if (r.is_same() && r.compared + r.compared_results > 0) out += green("the same") + "\n";
  if (r.first) out += difference_text(r);
  if (r.results) out += fmt::format("{}  {}\n", red("results differ"), *r.results);
  for (const LayerNotFinite& n : r.not_finite) out += not_finite_text(r, n);
  if (r.blamed) out += fmt::format("{}  {}\n", bold("blame"), *r.blamed);
  return out;
}

std::string check_json(const CheckReport& r) {
  io::JsonWriter w({.indent = 2});
  w.begin_object().key("same").value(r.is_same()).key("reference").value(r.reference);
  w.key("layers").value(r.layers.size()).key("compared").value(r.compared);
  w.key("compared_results").value(r.compared_results);
  if (r.first) write_difference(w, r);
  if (r.results) w.key("results").value(*r.results);
  w.key("not_finite").begin_array();
  for (const LayerNotFinite& n : r.not_finite) {
    w.begin_object();
    write_place(w, r.layers[n.layer], n.shape, n.found.index);
    w.key("value").value(number_text(n.found.value)).key("source").value(n.source).end_object();
  }
  w.end_array();
  if (r.blamed) w.key("blamed").value(*r.blamed);
  return w.end_object().take() + "\n";
}

}  // namespace sunmao::cli
