// Algebraic rules for windows that slide over a tensor.
#include <fmt/format.h>

#include <cmath>

#include "ops/algebra/rule.h"

namespace sunmao {
namespace {

/// Returns the widths of zeros that a call puts around its tensor; absent for other padding.
std::optional<std::vector<int64_t>> widths_of_zeros(const Call& pad) {
  const auto* mode = pad.attrs.find<std::string>("pad_mode");
  const auto* value = pad.attrs.find<double>("pad_value");
  const AttrValue* widths = pad.attrs.find("pad_width");
  const bool is_zero = mode && *mode == "constant" && value && *value == 0 && !std::signbit(*value);
  return is_zero && widths ? widths->as_ints() : std::nullopt;
}

// The axes of images alone: those of the batch and of channels have no padding in a convolution.
Expr convolution_of_padded(const RuleInput& in) {
  const Call* pad = in.call_of(in.arg(0), "nn.pad");
  const auto widths = pad ? widths_of_zeros(*pad) : std::nullopt;
  const auto* layout = in.call.attrs.find<std::string>("data_layout");
  const AttrValue* given = in.call.attrs.find("padding");
  auto padding = given ? given->as_ints() : std::nullopt;
  if (!widths || !layout || !padding) return nullptr;
  const size_t spatial = padding->size() / 2, rank = spatial + 2;
  if (layout->size() != rank || widths->size() != 2 * rank || spatial < 1 || spatial > 3) return nullptr;
  const std::string letters = std::string("DHW").substr(3 - spatial);
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t before = (*widths)[2 * axis], behind = (*widths)[2 * axis + 1];
    const size_t place = letters.find((*layout)[axis]);
    if (before < 0 || behind < 0 || (place == std::string::npos && before + behind > 0)) return nullptr;
    if (place == std::string::npos) continue;
    (*padding)[place] += before;
    (*padding)[place + spatial] += behind;
  }
  AttrMap attrs = in.call.attrs.values();
  attrs["padding"] = AttrValue::ints(*padding);
  const std::string op = fmt::format("nn.conv{}d", spatial);
  return in.make(op.c_str(), {pad->args[0], in.arg(1)}, std::move(attrs));
}

}  // namespace

void add_window_rules(RuleTable& rules) {
  rules.push_back({"convolution-of-padded",
                   "zeros around the images of a convolution are its padding",
                   {"nn.conv1d", "nn.conv2d", "nn.conv3d"},
                   convolution_of_padded});
}

}  // namespace sunmao
