#include <algorithm>
#include <cmath>
#include <limits>

#include "eval/element.h"
#include "view/graph.h"

namespace sunmao::view {
namespace {

constexpr int64_t kMostNumbers = 1 << 18;  // of one tensor; more would make pages of large models slow to write
constexpr size_t kBins = 32;

}  // namespace

Histogram histogram_of(const Array& data) {
  Histogram h;
  const int64_t count = data.count(), step = (count + kMostNumbers - 1) / kMostNumbers;
  std::vector<double> finite;
  for (int64_t i = 0; i < count; i += std::max<int64_t>(step, 1)) {
    const double x = number_at(data, i);
    ++h.numbers;
    h.zeros += x == 0;
    if (std::isfinite(x))
      finite.push_back(x);
    else
      ++h.not_finite;
  }
  h.bins.assign(kBins, 0);
  if (finite.empty()) return h;
  const auto [least, greatest] = std::ranges::minmax(finite);
  h.least = least;
  h.greatest = greatest;
  double sum = 0, squares = 0;
  for (double x : finite) sum += x;
  h.mean = sum / static_cast<double>(finite.size());
  for (double x : finite) squares += (x - h.mean) * (x - h.mean);
  h.deviation = std::sqrt(squares / static_cast<double>(finite.size()));
  // A few integers have a bin each; bins of a broken width would be empty between them.
  if (data.dtype().is_integral() && greatest - least < kBins) {
    h.bins.assign(static_cast<size_t>(greatest - least) + 1, 0);
    for (double x : finite) ++h.bins[static_cast<size_t>(x - least)];
    return h;
  }
  // Halves, so that the width of a float64 range does not overflow.
  const double width = greatest / 2 - least / 2;
  for (double x : finite) {
    const double share = width > 0 ? (x / 2 - least / 2) / width : 0;
    ++h.bins[std::min(kBins - 1, static_cast<size_t>(share * kBins))];
  }
  return h;
}

}  // namespace sunmao::view
