// Windows of pooling ops: their positions in the tensor, in any layout.
#pragma once
#include "ops/axis_layout.h"

namespace sunmao {

struct Pool {
  Pool(const InferInput& in, const std::string& names, size_t spatial)
      : data(AxisLayout::of_attr(in, "layout", names)), out(AxisLayout::of_attr(in, "out_layout", names)),
        size(spatial_attr(in, "pool_size", spatial, 1)), strides(spatial_attr(in, "strides", spatial, 1)),
        dilation(spatial_attr(in, "dilation", spatial, 1)), padding(spatial_attr(in, "padding", 2 * spatial, 0)),
        rounds_up(in.bool_attr("ceil_mode")) {}
  AxisLayout data, out;
  std::vector<int64_t> size, strides, dilation, padding;
  bool rounds_up;
};

/// Returns the dimensions of the result in canonical order, given those of the data.
std::vector<Scalar> window_sizes(const InferInput& in, const Pool& p, std::vector<Scalar> sizes);
/// Returns `window_sizes` after checking (E0309) that no dimension is negative.
std::vector<Scalar> pooled_sizes(const InferInput& in, const Pool& p, std::vector<Scalar> sizes);

/// The position that a window tap reads, and the condition under which it lies inside the tensor.
struct Tap {
  Indices from;
  Scalar inside;  // null when it is always inside
};

Tap tap_of(const Pool& p, const Indices& at, const Indices& r, const std::vector<Scalar>& sizes);
/// Returns the number of taps of a window along each spatial axis.
std::vector<Scalar> taps_of(const Pool& p);
/// Returns the divisor of an average, at least 1: the taps inside the tensor, or also those in its padding.
Scalar counted(const Pool& p, const Indices& at, const std::vector<Scalar>& sizes, bool with_padding);

}  // namespace sunmao
