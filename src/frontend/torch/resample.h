// Resizing along one axis by weights that are known when reading: by factors that are not the quotient of the sizes,
// and with antialiasing.
#pragma once
#include "frontend/torch/node_context.h"

namespace sunmao::torch {

enum class Filter : uint8_t { Nearest, NearestExact, Linear, Cubic, LinearAntialias, CubicAntialias };

/// A resize of `in` elements to `out`; one step in the result is `step` in the input.
struct AxisResize {
  Filter filter;
  int64_t in, out;
  double step;
};

Expr resampled(const NodeContext& n, const Expr& x, int64_t axis, const AxisResize& resize);

}  // namespace sunmao::torch
