#include "tests/random/pardons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "eval/compare.h"
#include "eval/element.h"
#include "passes/analysis/variables.h"
#include "passes/validation/value_difference.h"
#include "support/diagnostic.h"

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
  const double e = load_element(expected, i).f, g = load_element(got, i).f;
  if (std::isinf(e) && std::isinf(g)) return Pardon::ZeroSign;
  const bool are_finite = std::isfinite(e) && std::isfinite(g);
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

constexpr unsigned bit(Pardon p) { return 1U << static_cast<unsigned>(p); }

// Describes what differs, and where an element is given its two values.
std::string fault_text(size_t result, const Array& expected, const Array& got, std::optional<int64_t> at) {
  const std::string what = fmt::format("result {} of {}", result, expected.dtype().str());
  if (!at) return fmt::format("{}: {} before, {} after", what, describe(expected), describe(got));
  const Number a = load_element(expected, *at), b = load_element(got, *at);
  if (expected.dtype().is_float()) return fmt::format("{}, element {}: {} before, {} after", what, *at, a.f, b.f);
  return fmt::format("{}, element {}: {} before, {} after", what, *at, a.i, b.i);
}

// Returns the elements that `tolerance` does not accept.
std::vector<size_t> differing(const Array& expected, const std::vector<double>& far, const Tolerance& tolerance) {
  std::vector<size_t> out;
  for (size_t i = 0; i < far.size(); ++i) {
    const Number e = load_element(expected, static_cast<int64_t>(i));
    if (!accepts(tolerance, expected.dtype().is_float() ? e.f : static_cast<double>(e.i), far[i])) out.push_back(i);
  }
  return out;
}

void compare_result(const Array& expected, const Array& got, size_t result, DType precision, NudgedRuns& nudged,
                    Difference& out) {
  const auto fault = [&](std::optional<int64_t> at) {
    out.fault = fault_text(result, expected, got, at);
    out.result = result;
  };
  if (expected.dtype() != got.dtype()) return fault({});
  const bool has_shape = expected.shape() == got.shape();
  const std::vector<double> far = has_shape ? distances(expected, got) : std::vector<double>();
  const std::vector<size_t> elements = differing(expected, far, tolerance_for(expected, precision));
  if (has_shape && elements.empty()) return;
  const std::vector<double> moves = moves_of(expected, result, nudged);
  if (moves.empty() && expected.count() != 0) {
    out.pardons |= bit(Pardon::Size);
    return;
  }
  if (!has_shape) return fault({});
  for (const size_t i : elements) {
    const Pardon pardon = pardon_for(expected, got, static_cast<int64_t>(i));
    const double least = pardon == Pardon::IllConditioned ? far[i] / 2 : 0;
    const bool is_pardoned = pardon == Pardon::ZeroSign || (moves[i] > 0 && moves[i] >= least);
    if (!is_pardoned) return fault(static_cast<int64_t>(i));
    out.pardons |= bit(pardon);
  }
}

}  // namespace

const std::vector<std::vector<Array>>& NudgedRuns::results() {
  for (int number = 0; std::ssize(results_) < kNudges; ++number) {
    std::vector<Value> inputs;
    for (const Value& input : inputs_) inputs.push_back(input.array() ? Value(nudged(*input.array(), number)) : input);
    results_.push_back(run_(inputs, number));
  }
  return results_;
}

Difference difference_of(const std::vector<Array>& expected, const std::vector<Array>& got,
                         const std::vector<DType>& precisions, NudgedRuns& nudged) {
  if (expected.size() != got.size())
    return {.fault = fmt::format("{} results expected, {} compiled", expected.size(), got.size())};
  Difference out;
  for (size_t i = 0; i < expected.size() && out.fault.empty(); ++i)
    compare_result(expected[i], got[i], i, precisions.at(i), nudged, out);
  return out;
}

}  // namespace sunmao
