#include "compiler/tuning/ratio_interval.h"

#include <algorithm>
#include <cmath>

namespace sunmao {
namespace {

constexpr double kOutside = 0.05;  // of the probability, on both sides together

/// Returns the number k of the order statistic that bounds the interval of n values: the chance that fewer than k of
/// them lie below the median is at most half of kOutside.
size_t rank_of_bound(size_t n) {
  double chance = std::pow(0.5, static_cast<double>(n)), below = 0;  // of exactly, and of fewer than, k values
  size_t k = 0;
  while (k < n && below + chance <= kOutside / 2) {
    below += chance;
    chance *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    ++k;
  }
  return k;
}

}  // namespace

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::optional<RatioInterval> ratio_interval(std::vector<double> ratios) {
  if (ratios.size() < kFewestRatios) return std::nullopt;
  std::ranges::sort(ratios);
  const size_t rank = rank_of_bound(ratios.size());
  return RatioInterval{ratios[rank - 1], median_of(ratios), ratios[ratios.size() - rank]};
}

}  // namespace sunmao
