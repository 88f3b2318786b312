// Resizing along one axis in PyTorch's own steps: places and weights that are known when reading, and places that a run
// computes.
#pragma once
#include "frontend/torch/node_context.h"

namespace sunmao::torch {

enum class Filter : uint8_t { Nearest, NearestExact, Linear, Cubic, LinearAntialias, CubicAntialias };

/// A resize of `in` elements to `out`; one step in the result is `step` in the input. With `aligns_corners` the middles
/// of the outermost elements stay where they are.
struct AxisResize {
  Filter filter;
  int64_t in, out;
  double step;
  bool aligns_corners = false;
};

Expr resampled(const NodeContext& n, const Expr& x, int64_t axis, const AxisResize& resize);

/// A resize to the nearest element, of sizes that may be symbolic. `factor` is what the caller gave, 0 for none.
struct NearestResize {
  Filter filter;
  Scalar in, out;
  double factor;
};
/// True when `R.image.resize2d` by the quotient of the sizes takes the elements that PyTorch takes.
bool is_by_quotient(const NearestResize& resize, DType dtype);
Expr nearest_along(const NodeContext& n, const Expr& x, int64_t axis, const NearestResize& resize);

}  // namespace sunmao::torch
