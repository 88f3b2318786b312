#include "passes/algebra/quantised_mean.h"

#include <algorithm>
#include <numeric>

#include "ops/axis_layout.h"
#include "passes/algebra/quantised.h"

namespace sunmao {
namespace {

constexpr int64_t kMostElements = 1 << 16;  // whose sums of bytes float32 holds without rounding

bool is_channel_or_batch(char letter) { return letter == 'N' || letter == 'C'; }

/// The mean over axes of a tensor.
QuantisedMean over_axes(const Call& call, const std::vector<int64_t>& axes, bool keeps_axes) {
  QuantisedMean out{.count = 1, .convolution = {}};
  for (const int64_t axis : axes) out.count *= tensor_size(call.args[0], static_cast<int>(axis));
  out.attrs = {{"axis", AttrValue::ints(axes)}, {"keepdims", keeps_axes}};
  if (out.count == 0) out.reason = "its sizes are symbols";
  if (out.count > kMostElements) out.reason = "it has more elements than float32 counts";
  return out;
}

std::optional<QuantisedMean> read_axes_mean(const Call& call, int rank) {
  const AttrValue* given = call.attrs.find("axis");
  std::vector<int64_t> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), int64_t{0});
  if (given && !given->is_none()) {
    const auto* one = given->find<int64_t>();
    const auto some = one ? std::optional(std::vector<int64_t>{*one}) : given->as_ints();
    if (!some) return std::nullopt;
    axes = *some;
  }
  for (int64_t& axis : axes) axis += axis < 0 ? rank : 0;
  if (axes.empty() || axes == std::vector<int64_t>{rank - 1}) return std::nullopt;
  const auto* keeps = call.attrs.find<bool>("keepdims");
  return over_axes(call, axes, keeps && *keeps);
}

/// All of an image as one part.
std::optional<QuantisedMean> read_global_pool(const Call& call, const std::string& letters) {
  const AttrValue* size = call.attrs.find("output_size");
  const auto parts = size ? size->as_ints() : std::nullopt;
  if (!parts || std::ranges::any_of(*parts, [](int64_t n) { return n != 1; })) return std::nullopt;
  std::vector<int64_t> axes;
  for (size_t i = 0; i < letters.size(); ++i)
    if (!is_channel_or_batch(letters[i])) axes.push_back(static_cast<int64_t>(i));
  return over_axes(call, axes, true);
}

QuantisedMean read_windows(const Call& call, const std::string& letters) {
  const InferInput in = input_of(call);
  const size_t spatial = letters.size() - 2;
  const std::vector<int64_t> sizes = spatial_attr(in, "pool_size", spatial, 1),
                             padding = spatial_attr(in, "padding", 2 * spatial, 0);
  const bool is_padded = std::ranges::any_of(padding, [](int64_t n) { return n != 0; });
  const int64_t channels = tensor_size(call.args[0], static_cast<int>(letters.find('C')));
  QuantisedMean out{.count = 1, .convolution = "nn.conv" + std::to_string(spatial) + "d"};
  out.filter = {int_imm(channels), int_imm(1)};
  std::string kernel = "OI";
  for (const char letter : letters)
    if (!is_channel_or_batch(letter)) kernel += letter;
  for (const int64_t n : sizes) {
    out.filter.push_back(int_imm(n));
    out.count *= n;
  }
  out.around = around_image(letters, padding);
  out.attrs = {{"strides", AttrValue::ints(spatial_attr(in, "strides", spatial, 1))},
               {"dilation", AttrValue::ints(spatial_attr(in, "dilation", spatial, 1))},
               {"padding", AttrValue::ints(std::vector<int64_t>(2 * spatial, 0))},
               {"groups", channels},
               {"data_layout", letters},
               {"kernel_layout", kernel},
               {"out_layout", letters},
               {"out_dtype", DType::float_(32)}};
  if (channels == 0) out.reason = "its channels are a symbol";
  if (out.count > kMostElements) out.reason = "it has more elements than float32 counts";
  if (is_padded && !in.bool_attr("count_include_pad")) out.reason = "it does not count its padding";
  if (in.bool_attr("ceil_mode")) out.reason = "its last windows may lie outside";
  return out;
}

}  // namespace

std::vector<int64_t> around_image(const std::string& letters, const std::vector<int64_t>& padding) {
  std::vector<int64_t> out(2 * letters.size(), 0);
  const size_t spatial = padding.size() / 2;
  for (size_t axis = 0, i = 0; axis < letters.size(); ++axis) {
    if (is_channel_or_batch(letters[axis])) continue;
    out[2 * axis] = padding[i];
    out[2 * axis + 1] = padding[spatial + i++];
  }
  return out;
}

std::optional<QuantisedMean> read_mean(const Call& call) {
  const std::string& op = op_of(call)->name();
  const int rank = call.args.empty() ? kUnknownRank : tensor_rank(call.args[0]);
  if (rank == kUnknownRank) return std::nullopt;
  if (op == "mean") return read_axes_mean(call, rank);
  const bool is_global = op.starts_with("nn.adaptive_avg_pool");
  if (!is_global && !op.starts_with("nn.avg_pool")) return std::nullopt;
  const auto *layout = call.attrs.find<std::string>("layout"), *result = call.attrs.find<std::string>("out_layout");
  if (!layout || layout->size() != static_cast<size_t>(rank) || (result && *result != *layout)) return std::nullopt;
  return is_global ? read_global_pool(call, *layout) : read_windows(call, *layout);
}

}  // namespace sunmao
