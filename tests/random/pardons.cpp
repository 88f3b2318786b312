#include "tests/random/pardons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "eval/element.h"
#include "passes/validation/value_difference.h"

namespace sunmao {
namespace {

constexpr int kNudges = 8;

// The unit of the changes: the rounding errors of a few operations.
double nudge_of(DType dtype) { return 8 * std::ldexp(1.0, dtype.bits == 64 ? -52 : -23); }

Array nudged(const Array& a, int number) {
  if (a.dtype() != DType::float_(32) && a.dtype() != DType::float_(64)) return a;
  ArrayBuilder out(a.dtype(), a.shape());
  for (int64_t i = 0; i < a.count(); ++i) {
    const int64_t steps = (i * 7 + number * int64_t{5}) % 11 - 5;
    const double value = load_element(a, i).f * (1 + nudge_of(a.dtype()) * static_cast<double>(steps));
    store_element(a.dtype(), out.data(), i, float_number(value));
  }
  return std::move(out).finish();
}

Pardon pardon_for(const Array& expected, const Array& got, int64_t i) {
  if (!expected.dtype().is_float()) return Pardon::Step;
  const bool are_finite = std::isfinite(load_element(expected, i).f) && std::isfinite(load_element(got, i).f);
  return are_finite ? Pardon::IllConditioned : Pardon::Overflow;
}

// Returns how far each element moves at most; empty when a run gives another number of elements.
std::vector<double> moves_of(const Array& expected, size_t result, NudgedRuns& nudged) {
  std::vector<double> out(static_cast<size_t>(expected.count()));
  for (const std::vector<Array>& moved : nudged.results()) {
    if (moved[result].shape() != expected.shape()) return {};
    const std::vector<double> by = distances(expected, moved[result]);
    for (size_t i = 0; i < out.size(); ++i) out[i] = std::max(out[i], by[i]);
  }
  return out;
}

void compare_result(const Array& expected, const Array& got, size_t result, NudgedRuns& nudged, Difference& out) {
  const auto bit = [](Pardon p) { return 1U << static_cast<unsigned>(p); };
  const std::optional<std::string> difference = find_difference(expected, got, Effect::Reorders);
  if (!difference) return;
  const auto fault = [&] {
    out.fault = fmt::format("result {} of {}: {}", result, expected.dtype().str(), *difference);
    out.result = result;
  };
  if (expected.dtype() != got.dtype()) return fault();
  const std::vector<double> moves = moves_of(expected, result, nudged);
  const bool moves_size = moves.empty() && expected.count() != 0;
  if (expected.shape() != got.shape()) {
    if (!moves_size) return fault();
    out.pardons |= bit(Pardon::Size);
    return;
  }
  if (moves_size) {
    out.pardons |= bit(Pardon::Size);
    return;
  }
  const Tolerance tolerance = tolerance_for(expected, Effect::Reorders);
  const std::vector<double> far = distances(expected, got);
  for (size_t i = 0; i < far.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const Number e = load_element(expected, at);
    if (accepts(tolerance, expected.dtype().is_float() ? e.f : static_cast<double>(e.i), far[i])) continue;
    const Pardon pardon = pardon_for(expected, got, at);
    const bool is_pardoned = pardon == Pardon::IllConditioned ? moves[i] >= far[i] / 2 : moves[i] > 0;
    if (!is_pardoned) return fault();
    out.pardons |= bit(pardon);
  }
}

}  // namespace

const std::vector<std::vector<Array>>& NudgedRuns::results() {
  for (int number = 0; std::ssize(results_) < kNudges; ++number) {
    std::vector<Value> inputs;
    for (const Value& input : inputs_) inputs.push_back(input.array() ? Value(nudged(*input.array(), number)) : input);
    results_.push_back(run_(inputs));
  }
  return results_;
}

Difference difference_of(const std::vector<Array>& expected, const std::vector<Array>& got, NudgedRuns& nudged) {
  if (expected.size() != got.size())
    return {.fault = fmt::format("{} results expected, {} compiled", expected.size(), got.size())};
  Difference out;
  for (size_t i = 0; i < expected.size() && out.fault.empty(); ++i) compare_result(expected[i], got[i], i, nudged, out);
  return out;
}

}  // namespace sunmao
