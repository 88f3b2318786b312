// The weights by which ONNX resizes one axis, for sizes that are known.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace sunmao::onnx {

struct ResizeRule {
  std::string mode;         // "nearest", "linear" or "cubic"
  std::string coordinates;  // `coordinate_transformation_mode`
  double cubic = -0.75, extrapolation = 0;
  bool excludes_outside = false, antialias = false;
};

struct AxisScale {
  int64_t from, to;
  double factor;
  double begin = 0, end = 1;  // the region of interest
};

struct ResizeTable {
  std::vector<int64_t> nearest;     // for each place of the result that of the input, in the mode "nearest"
  std::vector<float> weights;       // (to, from), in the other modes
  std::vector<uint8_t> is_outside;  // 1 for places of the result outside of the input, where it is cropped
};

bool is_coordinate_mode(const std::string& name);
ResizeTable resize_table(const ResizeRule& rule, const AxisScale& scale, const std::string& nearest_mode);

}  // namespace sunmao::onnx
