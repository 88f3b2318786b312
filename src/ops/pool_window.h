// The windows of pools: where they lie in the tensor, in any layout.
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

/// The sizes of the result in canonical order, from those of the data.
std::vector<Scalar> window_sizes(const InferInput& in, const Pool& p, std::vector<Scalar> sizes);
/// The same; E0309 when one is below 0.
std::vector<Scalar> pooled_sizes(const InferInput& in, const Pool& p, std::vector<Scalar> sizes);

/// Where a tap of an output's window is read, and whether it lies in the tensor.
struct Tap {
  Indices from;
  Scalar inside;  // null: always
};

Tap tap_of(const Pool& p, const Indices& at, const Indices& r, const std::vector<Scalar>& sizes);
/// The sizes of a window.
std::vector<Scalar> taps_of(const Pool& p);
/// How many taps count, 1 at least: those in the tensor, or those in it and its padding.
Scalar counted(const Pool& p, const Indices& at, const std::vector<Scalar>& sizes, bool with_padding);

}  // namespace sunmao
