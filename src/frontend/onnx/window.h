// Window: the attributes that convolutions and pools share: the size of a window, its steps, and what lies around the
// tensor.
#pragma once
#include <vector>

#include "frontend/onnx/node_context.h"

namespace sunmao::onnx {

struct Window {
  std::vector<int64_t> size, strides, dilations;
  std::vector<int64_t> before, behind;  // padding

  /// Returns the padding of all axes in the order of the library: before each axis, then behind each.
  std::vector<int64_t> padding() const;
  /// Returns the elements between the first and the last of a window along axis `i`, with both.
  int64_t span(size_t i) const { return dilations[i] * (size[i] - 1) + 1; }
};

/// Reads the attributes of a node whose windows have `size`, and lie in the axes of input 0 from the third on, whose
/// sizes `auto_pad` may need.
Window read_window(const NodeContext& n, std::vector<int64_t> size);

/// Returns the sizes of the kernel of a convolution: `kernel_shape`, else those of the weight `input`.
std::vector<int64_t> kernel_sizes(const NodeContext& n, size_t input);

/// Returns "<name>1d", "<name>2d" or "<name>3d" and the suffix, for so many axes; throws UnsupportedUse for others.
std::string for_axes(std::string_view name, size_t axes, std::string_view suffix = "");

}  // namespace sunmao::onnx
