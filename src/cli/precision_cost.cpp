#include "cli/precision_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/traced_run.h"
#include "eval/compare.h"
#include "eval/element.h"
#include "support/diagnostic.h"

namespace sunmao::cli {
namespace {

double relative(double difference, double scale) {
  if (difference == 0) return 0;
  return scale > 0 ? difference / scale : std::numeric_limits<double>::infinity();
}

ResultCost cost_of(std::string name, const Array& expected, const Array& got) {
  double squares = 0, square_scale = 0, greatest = 0, scale = 0;
  const std::vector<double> all = distances(expected, got);
  for (size_t i = 0; i < all.size(); ++i) {
    const double element = std::abs(number_at(expected, static_cast<int64_t>(i)));
    squares += all[i] * all[i];
    greatest = std::max(greatest, all[i]);
    if (!std::isfinite(element)) continue;
    square_scale += element * element;
    scale = std::max(scale, element);
  }
  return {std::move(name), relative(std::sqrt(squares), std::sqrt(square_scale)), relative(greatest, scale)};
}

/// Returns the first of the targets that has code for this machine; nullopt where none has.
std::optional<Target> target_here(const std::vector<Target>& targets) {
  const auto found = std::ranges::find_if(targets, [](const Target& t) { return t.isa.runs_here(); });
  return found == targets.end() ? std::nullopt : std::optional(*found);
}

std::string share_text(double share) { return fmt::format("{:.2g} %", 100 * share); }

}  // namespace

PrecisionCost precision_cost(const Model& model, const CompileOptions& options, const io::Bytes& artifact) {
  if (!options.bind_weights) return {.reason = "the artifact has no weights"};
  const std::optional<Target> target = target_here(options.targets);
  if (!target) return {.reason = "this machine runs no code of the artifact"};
  try {
    CompileOptions in_float32;
    in_float32.targets = {*target};
    in_float32.keep_state = options.keep_state;
    in_float32.objects = options.objects;
    in_float32.dims = options.dims;
    in_float32.opt_level = options.opt_level;
    const std::unique_ptr<Runnable> reference = compiled(model, in_float32);
    const std::unique_ptr<Runnable> narrow = load_artifact(artifact, LoadSettings{});
    const std::vector<HostTensor> inputs = inputs_that_run(*reference, {});
    reference->run(inputs);
    narrow->run(inputs);
    const std::vector<Array> expected = reference->outputs(), got = narrow->outputs();
    const std::vector<std::string> names = reference->output_names();
    PrecisionCost out;
    for (size_t i = 0; i < std::min(expected.size(), got.size()); ++i)
      if (expected[i].dtype().is_float() && expected[i].shape() == got[i].shape())
        out.results.push_back(cost_of(names[i], expected[i], got[i]));
    if (out.results.empty()) out.reason = "no result has floats";
    return out;
  } catch (const UserError& error) {  // such as a function of the host that is not there
    const Diagnostic& first = error.diagnostics().front();
    return {.reason = fmt::format("{}: {}", first.code, first.message)};
  }
}

std::string cost_text(const PrecisionCost& cost) {
  if (!cost.reason.empty()) return "not measured: " + cost.reason;
  const auto worst = std::ranges::max_element(cost.results, {}, &ResultCost::rms);
  const std::string of = cost.results.size() > 1 ? fmt::format("; of `{}`, which differs most", worst->name) : "";
  return fmt::format(
      "against float32, on generated inputs: rms of the differences {} of the result's, the greatest {} "
      "of its greatest element{}",
      share_text(worst->rms), share_text(worst->greatest), of);
}

void write_cost(io::JsonWriter& w, const PrecisionCost& cost) {
  w.key("accuracy").begin_object();
  if (!cost.reason.empty()) w.key("not_measured").value(cost.reason);
  w.key("results").begin_array();
  for (const ResultCost& r : cost.results)
    w.begin_object().key("name").value(r.name).key("rms").value(r.rms).key("greatest").value(r.greatest).end_object();
  w.end_array().end_object();
}

}  // namespace sunmao::cli
