// RatioInterval: how many times as long something takes as something else, from paired measurements.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

namespace sunmao {

/// The median of ratios of times, new to old, and the interval that holds it with 95 % probability.
struct RatioInterval {
  double low = 1, median = 1, high = 1;

  bool is_faster() const { return high < 1; }
  /// True when the whole interval says which of the two is faster.
  bool is_clear() const { return high < 1 || low > 1; }
};

/// The fewest ratios that have an interval.
inline constexpr size_t kFewestRatios = 6;

/// Returns the interval between two order statistics, which assumes nothing of how the ratios are distributed; nullopt
/// for fewer than kFewestRatios.
std::optional<RatioInterval> ratio_interval(std::vector<double> ratios);

/// Returns the median of at least one value.
double median_of(std::vector<double> values);

}  // namespace sunmao
