#include "passes/algebra/quantised_product.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/algebra/rule.h"
#include "ops/axis_layout.h"

namespace sunmao {
namespace {

constexpr int64_t kFewestSteps = 4 * kBytesOfStep;  // of a sum, below which those of float32 do as well
constexpr int64_t kMostSteps = 1 << 16;             // whose products of two bytes int32 holds, one of them signed
constexpr int64_t kMostExactSteps = 1 << 8;         // whose products float32 holds without rounding
constexpr int64_t kMostNarrow = 8;                  // results of a group, several of which are a vector

bool has_zero_points(const Quantised& x) {
  return known_integer(x.zero) != (element_dtype(x.values) == DType::uint(8) ? kSignShift : 0);
}

bool has_blocks(const QuantisedProduct& p) {
  const auto* layout = p.is_convolution() ? p.call.attrs.find<std::string>("data_layout") : nullptr;
  return layout && layout->size() !=
                       static_cast<size_t>(std::ranges::count_if(*layout, [](char c) { return c >= 'A' && c <= 'Z'; }));
}

}  // namespace

int QuantisedProduct::result_rank() const { return tensor_rank(Expr(&call)); }

int64_t QuantisedProduct::groups() const {
  const auto* n = call.attrs.find<int64_t>("groups");
  return n ? *n : 1;
}

int64_t QuantisedProduct::channels_of_group() const {
  const auto* layout = call.attrs.find<std::string>("kernel_layout");
  const size_t at = layout ? layout->find('I') : std::string::npos;
  return at == std::string::npos ? 0 : tensor_size(weight.values, static_cast<int>(at));
}

int64_t QuantisedProduct::results_of_group() const {
  return axes.weight_result < 0 ? 0 : tensor_size(weight.values, axes.weight_result) / groups();
}

bool QuantisedProduct::adds_floats() const {
  const int64_t results = results_of_group();
  const bool is_narrow = groups() > 1 && results > 0 && results <= kMostNarrow;
  return is_narrow && (channels_of_group() == 1 || steps() <= kMostExactSteps);
}

std::vector<int64_t> QuantisedProduct::step_axes() const {
  std::vector<int64_t> out;
  const int rank = tensor_rank(weight.values);
  for (int i = is_convolution() ? 0 : rank - 2; i < rank; ++i)
    if (i != axes.weight_result) out.push_back(i);
  return out;
}

int64_t QuantisedProduct::steps() const {
  int64_t steps = 1;
  for (const int64_t axis : step_axes()) steps *= tensor_size(weight.values, static_cast<int>(axis));
  return steps;
}

bool QuantisedProduct::has_symbolic_steps() const {
  const std::vector<Scalar>* dims = is_convolution() ? nullptr : tensor_dims(weight.values);
  return dims && dims->size() > 1 && !find_int((*dims)[static_cast<size_t>(axes.weight_data)]);
}

bool QuantisedProduct::is_apart_from_steps(const Expr& parameter_of_data) const {
  if (is_single(parameter_of_data)) return true;
  const int rank = tensor_rank(data.values);
  if (is_convolution() || rank < 2) return false;
  return tensor_rank(parameter_of_data) == rank ? tensor_size(parameter_of_data, axes.data) == 1
                                                : data.axis != axes.data;
}

std::vector<int64_t> QuantisedProduct::padding() const {
  if (!is_convolution()) return {};
  return spatial_attr(input_of(call), "padding", 2 * static_cast<size_t>(result_rank() - 2), 0);
}

bool QuantisedProduct::has_padding() const {
  return std::ranges::any_of(padding(), [](int64_t n) { return n != 0; });
}

std::string reason_against_integers(const QuantisedProduct& p, bool is_weight_known, SizeBounds& bounds) {
  constexpr int64_t kManyRows = 16;  // that share the work on a weight which is computed
  const auto follows_steps = [&](const Expr& parameter) {
    return !is_single(parameter) && (tensor_rank(parameter) > 1 || p.weight.axis != p.axes.weight_result);
  };
  if (tensor_rank(p.data.values) == kUnknownRank) return "its rank is unknown";
  if (p.axes.result < 0 || p.axes.weight_result < 0 || has_blocks(p))
    return "its layout has blocks, or the weight is a vector";
  if (!p.is_apart_from_steps(p.data.scale) || !p.is_apart_from_steps(p.data.zero))
    return "the data has scales along the steps";
  if (follows_steps(p.weight.scale)) return "the weight has scales along the steps";
  if (follows_steps(p.weight.zero)) return "the weight has zero points along the steps";
  const bool is_wide = p.groups() > 1 && !p.adds_floats();
  if (is_wide && p.channels_of_group() % kBytesOfStep != 0)
    return fmt::format("its groups have channels for no whole step, and more than {} results or {} steps", kMostNarrow,
                       kMostExactSteps);
  if (is_wide && has_zero_points(p.weight))
    return fmt::format("the weight has zero points, and groups of more than {} results or {} steps", kMostNarrow,
                       kMostExactSteps);
  if (!known_integer(p.data.zero) && p.has_padding()) return "the zero point of the padding is computed";
  if (!is_weight_known) {
    if (p.is_convolution()) return "the filters are computed";
    const int64_t rows = tensor_rank(p.data.values) < 2 ? 1 : tensor_size(Expr(&p.call), p.result_rank() - 2);
    if (rows != 0 && rows < kManyRows) return "both operands are computed, for few rows";
  }
  int64_t steps = p.steps();
  if (p.has_symbolic_steps()) {  // without a limit, a run is taken to have no more than sums hold
    const std::vector<Scalar> size{(*tensor_dims(p.weight.values))[static_cast<size_t>(p.axes.weight_data)]};
    const std::vector<Scalar> most = bounds.largest(size);
    steps = find_int(most[0]) ? *find_int(most[0]) : kFewestSteps;
  }
  if (steps == 0) return "its sizes are symbols";
  // Above a zero point a byte of the weight takes nine bits.
  const int64_t most = p.adds_floats() ? kMostExactSteps : has_zero_points(p.weight) ? kMostSteps / 2 : kMostSteps;
  if (steps > most || (steps < kFewestSteps && !p.adds_floats())) return "it has few steps, or more than sums hold";
  return {};
}

}  // namespace sunmao
