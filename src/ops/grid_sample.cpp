// Lowering of image.grid_sample: images sampled at the coordinates of a grid, with the semantics of PyTorch.
#include "ops/grid_sample.h"

#include "ops/axis_layout.h"
#include "ops/cubic_weights.h"

namespace sunmao {
namespace {

constexpr double kCubicParameter = -0.75;  // PyTorch's

// The attributes of a grid_sample call. Coordinates and weights are computed in float64 for float64 images, else in
// float32. In images, but not in volumes, the weights of what lies outside count: a coordinate that is NaN or infinite
// has weights that are NaN, and so is the result.
struct GridRule {
  std::string method, padding;
  bool corners, is_volume;
  DType dtype;
  Scalar real(double v) const { return constant(dtype, v); }
  Scalar to_real(const Scalar& x) const { return cast_to(dtype, x); }
};

// Converts a coordinate in [-1, 1] to a pixel coordinate along an axis.
Scalar pixel_place(const GridRule& s, const Scalar& at, const Scalar& size) {
  Scalar n = s.to_real(size);
  if (s.corners) return divide((at + s.real(1)) * (n - s.real(1)), s.real(2));
  return divide((at + s.real(1)) * n - s.real(1), s.real(2));
}

// Holds a coordinate inside the image. NaN becomes 0, in a volume the last place.
Scalar held_inside(const GridRule& s, const Scalar& x, const Scalar& size) {
  const Scalar first = s.real(0), last = s.to_real(size) - s.real(1);
  if (s.is_volume) return Select::make(less(x, last), max(x, first), last);
  return Select::make(at_least(x, first), min(x, last), first);
}

// Reflects a coordinate at the image border: at the centres of the outermost pixels with `corners`, else at their outer
// edges.
Scalar reflected(const GridRule& s, const Scalar& x, const Scalar& size) {
  Scalar n = s.to_real(size), low = s.real(s.corners ? 0 : -0.5), span = s.corners ? n - s.real(1) : n;
  Scalar off = intrinsic("fabs", x - low), turns = floor_of(divide(off, span)), extra = off - turns * span;
  Scalar is_even = equals(turns - s.real(2) * floor_of(divide(turns, s.real(2))), s.real(0));
  Scalar place = low + Select::make(is_even, extra, span - extra);
  return held_inside(s, Select::make(less(s.real(0), span), place, s.real(0)), size);
}

Scalar padded_place(const GridRule& s, const Scalar& x, const Scalar& size) {
  if (s.padding == "border") return held_inside(s, x, size);
  return s.padding == "reflection" ? reflected(s, x, size) : x;
}

// A pixel along an axis, its interpolation weight, and whether it lies inside the image.
struct WeightedPixel {
  Scalar index, weight, inside;
};

WeightedPixel tap_at(const GridRule& s, const Scalar& place, const Scalar& size, const Scalar& weight) {
  Scalar inside = both(at_least(place, s.real(0)), less(place, s.to_real(size)));
  Scalar index = max(min(as_index(place), size - int_imm(1)), int_imm(0));
  return {index, weight, inside};
}

std::vector<WeightedPixel> pixels_of(const GridRule& s, const Scalar& at, const Scalar& size) {
  Scalar place = pixel_place(s, at, size);
  if (s.method == "bicubic") {
    Scalar low = floor_of(place);
    std::vector<Scalar> weights = cubic_weights(place - low, kCubicParameter);
    std::vector<WeightedPixel> taps;
    for (size_t i = 0; i < 4; ++i)
      taps.push_back(tap_at(s, padded_place(s, low + s.real(static_cast<double>(i) - 1), size), size, weights[i]));
    return taps;
  }
  place = padded_place(s, place, size);
  if (s.method == "nearest") return {tap_at(s, intrinsic("nearbyint", place), size, s.real(1))};
  Scalar low = floor_of(place), t = place - low;
  return {tap_at(s, low, size, s.real(1) - t), tap_at(s, low + s.real(1), size, t)};
}

// Returns the weighted sum over all combinations of taps, one for each axis.
Scalar weighted(const GridRule& s, const Ref<Buffer>& x, const AxisLayout& layout,
                const std::vector<std::vector<WeightedPixel>>& taps, const Indices& from, const WeightedPixel& so_far) {
  size_t axis = from.size() - 2;
  if (axis == taps.size()) {
    const Scalar pixel = s.to_real(load(x, layout.indices(from)));
    if (s.is_volume) return choose(so_far.inside, pixel * so_far.weight, s.real(0));
    return choose(so_far.inside, pixel, s.real(0)) * so_far.weight;
  }
  Scalar sum;
  for (const WeightedPixel& tap : taps[axis]) {
    Indices next = from;
    next.push_back(tap.index);
    WeightedPixel joined{nullptr, so_far.weight ? so_far.weight * tap.weight : tap.weight,
                         so_far.inside ? both(so_far.inside, tap.inside) : tap.inside};
    Scalar part = weighted(s, x, layout, taps, next, joined);
    sum = sum ? sum + part : part;
  }
  return sum;
}

}  // namespace

Ref<BaseFunc> lower_grid_sample(const Call& call) {
  InferInput in = input_of(call);
  bool volume = in.string_attr("layout").find('D') != std::string::npos;
  AxisLayout layout = AxisLayout::of_attr(in, "layout", volume ? "NCDHW" : "NCHW");
  KernelBuilder k("grid_sample");
  Ref<Buffer> x = k.input("A", call.args[0]->type), grid = k.input("B", call.args[1]->type),
              y = k.output("T_grid_sample", call.type);
  const GridRule s{in.string_attr("method"), in.string_attr("padding_mode"), in.bool_attr("align_corners"), volume,
                   x->dtype == DType::float_(64) ? x->dtype : DType::float_(32)};
  std::vector<Scalar> sizes = layout.canonical_sizes(x->shape);
  k.compute(y, "T_grid_sample", [&](const Indices& own) {
    Indices at = layout.canonical_indices(own);
    std::vector<std::vector<WeightedPixel>> taps;
    for (size_t i = 2; i < at.size(); ++i) {
      Indices from = at;  // the grid holds the innermost axis first
      from[1] = int_imm(static_cast<int64_t>(at.size() - 1 - i));
      taps.push_back(pixels_of(s, s.to_real(load(grid, from)), sizes[i]));
    }
    return cast_to(y->dtype, weighted(s, x, layout, taps, {at[0], at[1]}, {}));
  });
  return std::move(k).finish();
}

}  // namespace sunmao
