#include "frontend/onnx/window.h"

#include <algorithm>

#include "frontend/shapes.h"

namespace sunmao::onnx {
namespace {

std::vector<int64_t> numbers(const NodeContext& n, std::string_view name, size_t count, int64_t otherwise,
                             int64_t least) {
  std::vector<int64_t> out = n.ints_attr(name).value_or(std::vector<int64_t>(count, otherwise));
  if (out.empty()) out.assign(count, otherwise);
  if (out.size() != count) n.fail(fmt::format("`{}` holds {} numbers, expected {}", name, out.size(), count));
  for (int64_t v : out)
    if (v < least || v > kLargestSize) n.fail(fmt::format("`{}` holds {}", name, v));
  return out;
}

/// Padding by which the result has the size of the input divided by the stride, rounded up.
void pad_to_same_size(const NodeContext& n, Window& w, bool more_in_front) {
  for (size_t i = 0; i < w.size.size(); ++i) {
    int64_t total = w.span(i) - 1;
    if (w.strides[i] != 1) {
      const int64_t* size = find_int(n.dims(0).at(i + 2));
      if (!size) throw UnsupportedUse{"with `auto_pad` and strides along an axis of symbolic size"};
      const int64_t windows = (*size + w.strides[i] - 1) / w.strides[i];
      total = std::max<int64_t>((windows - 1) * w.strides[i] + w.span(i) - *size, 0);
    }
    w.before[i] = more_in_front ? total - total / 2 : total / 2;
    w.behind[i] = total - w.before[i];
  }
}

}  // namespace

std::vector<int64_t> Window::padding() const {
  std::vector<int64_t> out = before;
  out.insert(out.end(), behind.begin(), behind.end());
  return out;
}

Window read_window(const NodeContext& n, std::vector<int64_t> size) {
  const size_t axes = size.size();
  for (int64_t s : size)
    if (s < 1 || s > kLargestSize) n.fail(fmt::format("a window has the size {}", s));
  if (n.rank(0) != static_cast<int64_t>(axes) + 2)
    n.fail(fmt::format("windows of {} axes for a tensor of rank {}", axes, n.rank(0)));
  Window w{.size = std::move(size),
           .strides = numbers(n, "strides", axes, 1, 1),
           .dilations = numbers(n, "dilations", axes, 1, 1),
           .before = std::vector<int64_t>(axes),
           .behind = std::vector<int64_t>(axes)};
  const std::string how = n.string_attr("auto_pad", "NOTSET");
  if (how == "SAME_UPPER" || how == "SAME_LOWER") {
    pad_to_same_size(n, w, how == "SAME_LOWER");
  } else if (how == "NOTSET" || how.empty()) {
    const std::vector<int64_t> pads = numbers(n, "pads", 2 * axes, 0, 0);
    w.before.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(axes));
    w.behind.assign(pads.begin() + static_cast<std::ptrdiff_t>(axes), pads.end());
  } else if (how != "VALID") {
    n.fail("`auto_pad` is none of \"NOTSET\", \"SAME_UPPER\", \"SAME_LOWER\" and \"VALID\"");
  }
  return w;
}

std::vector<int64_t> kernel_sizes(const NodeContext& n, size_t input) {
  if (const auto given = n.ints_attr("kernel_shape"); given && !given->empty()) return *given;
  std::vector<int64_t> sizes;
  const std::vector<Scalar>& dims = n.dims(input);
  for (size_t i = 2; i < dims.size(); ++i) {
    if (!find_int(dims[i])) throw UnsupportedUse{"with a kernel of symbolic size"};
    sizes.push_back(*find_int(dims[i]));
  }
  return sizes;
}

std::string for_axes(std::string_view name, size_t axes, std::string_view suffix) {
  if (axes < 1 || axes > 3) throw UnsupportedUse{fmt::format("over {} axes", axes)};
  return fmt::format("{}{}d{}", name, axes, suffix);
}

}  // namespace sunmao::onnx
