// Converters of pools: MaxPool, AveragePool, LpPool, those of whole images, MaxUnpool.
#include <algorithm>
#include <cmath>

#include "frontend/onnx/compose.h"
#include "frontend/onnx/window.h"

namespace sunmao::onnx {
namespace {

Window window_of(const NodeContext& n) {
  const auto size = n.ints_attr("kernel_shape");
  if (!size) n.fail("`kernel_shape` is missing");
  return read_window(n, *size);
}

AttrMap attributes(const NodeContext& n, const Window& w) {
  return {{"pool_size", AttrValue::ints(w.size)},
          {"strides", AttrValue::ints(w.strides)},
          {"padding", AttrValue::ints(w.padding())},
          {"dilation", AttrValue::ints(w.dilations)},
          {"ceil_mode", n.int_attr("ceil_mode", 0) != 0}};
}

Results average_pool(const NodeContext& n) {
  const Window w = window_of(n);
  AttrMap attrs = attributes(n, w);
  attrs["count_include_pad"] = n.int_attr("count_include_pad", 0) != 0;
  return n.call(for_axes("nn.avg_pool", w.size.size()), {n.tensor(0)}, std::move(attrs));
}

Expr number(const NodeContext& n, const Scalar& s) { return tensor_of(n.builder, {s}, false, n.span); }

/// Returns places within a plane as they are when the first axis moves fastest, from those where the last one does.
Expr by_columns(const NodeContext& n, Expr places, std::span<const Scalar> plane) {
  Expr result;
  for (size_t i = plane.size(); i-- > 0;) {  // the last axis first: its place has the largest step
    const Expr along = i == 0 ? places : binary(n, "floor_mod", places, number(n, plane[i]));
    if (i > 0) places = binary(n, "floor_divide", places, number(n, plane[i]));
    const Expr part = binary(n, "multiply", along, number(n, product(n.builder, plane.first(i))));
    result = result ? binary(n, "add", result, part) : part;
  }
  return result;
}

/// Places count over all elements of the input; the library counts them within a channel.
Expr places_of_largest(const NodeContext& n, const Window& w) {
  const std::vector<Scalar>& dims = n.dims(0);
  const auto rank = static_cast<int64_t>(dims.size());
  const std::span<const Scalar> plane = std::span(dims).subspan(2);
  Expr places = n.call(for_axes("nn.max_pool", w.size.size(), "_indices"), {n.tensor(0)}, attributes(n, w));
  if (n.int_attr("storage_order", 0)) places = by_columns(n, places, plane);
  const Scalar size = product(n.builder, plane), channel = product(n.builder, std::span(dims).subspan(1));
  const DType int64 = DType::int_(64);
  const Expr batches = binary(n, "multiply", places_along(n, dims.at(0), int64, 0, rank), number(n, channel)),
             channels = binary(n, "multiply", places_along(n, dims.at(1), int64, 1, rank), number(n, size));
  return binary(n, "add", places, binary(n, "add", batches, channels));
}

Results max_pool(const NodeContext& n) {
  const Window w = window_of(n);
  Results results = n.call(for_axes("nn.max_pool", w.size.size()), {n.tensor(0)}, attributes(n, w));
  if (n.has_output(1)) results.values.push_back(places_of_largest(n, w));
  return results;
}

/// Returns x ** (1 / p) of a sum of |x| ** p.
Expr root(const NodeContext& n, const Expr& sum, double p) {
  if (p == 1) return sum;
  return p == 2 ? n.call("sqrt", {sum}) : binary(n, "power", sum, 1 / p);
}
Expr powers(const NodeContext& n, const Expr& x, double p) {
  if (p == 2) return n.call("square", {x});
  const Expr size = n.call("abs", {x});
  return p == 1 ? size : binary(n, "power", size, p);
}

/// The mean of powers times the size of windows. In ceil mode what the last windows lack is padding too.
Results lp_pool(const NodeContext& n) {
  Window w = window_of(n);
  const auto p = static_cast<double>(n.int_attr("p", 2));
  double taps = 1;
  for (size_t i = 0; i < w.size.size(); ++i) {
    taps *= static_cast<double>(w.size[i]);
    if (n.int_attr("ceil_mode", 0) == 0) continue;
    const int64_t* size = find_int(n.dims(0).at(i + 2));
    if (!size) throw UnsupportedUse{"with `ceil_mode` along an axis of symbolic size"};
    const int64_t room = *size + w.before[i] + w.behind[i] - w.span(i);
    int64_t last = (room + w.strides[i] - 1) / w.strides[i];
    if (last * w.strides[i] >= *size + w.before[i]) --last;  // it would begin behind the tensor
    w.behind[i] = std::max<int64_t>(last * w.strides[i] + w.span(i) - *size - w.before[i], 0);
  }
  AttrMap attrs = attributes(n, w);
  attrs["ceil_mode"] = false;
  attrs["count_include_pad"] = true;
  const Expr mean = n.call(for_axes("nn.avg_pool", w.size.size()), {powers(n, n.tensor(0), p)}, std::move(attrs));
  return root(n, scaled(n.builder, mean, taps, n.span), p);
}

Results global_average_pool(const NodeContext& n) { return reduced(n, "mean", n.tensor(0), spatial_axes(n)); }
Results global_max_pool(const NodeContext& n) { return reduced(n, "max", n.tensor(0), spatial_axes(n)); }
Results global_lp_pool(const NodeContext& n) {
  const auto p = static_cast<double>(n.int_attr("p", 2));
  return root(n, reduced(n, "sum", powers(n, n.tensor(0), p), spatial_axes(n)), p);
}

/// Puts each element at its place among zeros, of the size that the pool before had; then, where a larger size is
/// asked for, zeros behind.
Results max_unpool(const NodeContext& n) {
  const Window w = window_of(n);
  const std::vector<Scalar>& dims = n.dims(0);
  std::vector<Scalar> before{dims.at(0), dims.at(1)};
  for (size_t i = 0; i < w.size.size(); ++i)
    before.push_back(n.builder.simplify((dims[i + 2] - int_imm(1)) * int_imm(w.strides[i]) +
                                        int_imm(w.size[i] - w.before[i] - w.behind[i])));
  const Scalar count = product(n.builder, before), given = product(n.builder, dims);
  const Expr zeros = n.call("zeros", {ShapeExpr::make({count}, n.span)}, {{"dtype", dtype_of(n.tensor(0))}});
  const Expr spread = n.call("scatter_elements", {zeros, reshaped(n.builder, n.tensor(1), {given}, n.span),
                                                  reshaped(n.builder, n.tensor(0), {given}, n.span)});
  const Expr image = reshaped(n.builder, spread, before, n.span);
  if (!n.has_input(2)) return image;
  const std::vector<int64_t> wanted = n.ints(2, "sizes");
  if (wanted.size() != before.size()) n.fail(fmt::format("{} sizes for rank {}", wanted.size(), before.size()));
  std::vector<int64_t> widths(2 * wanted.size());
  for (size_t i = 2; i < wanted.size(); ++i) {
    if (!find_int(before[i])) throw UnsupportedUse{"with a size for an axis of symbolic size"};
    if (wanted[i] < 0 || wanted[i] > kLargestSize) n.fail(fmt::format("a size is {}", wanted[i]));
    widths[2 * i + 1] = wanted[i] - *find_int(before[i]);
  }
  return n.call("nn.pad", {image}, {{"pad_width", AttrValue::ints(widths)}});
}

}  // namespace

std::vector<Converter> pool_converters() {
  const char* kSizes = "up to 3 axes; `auto_pad` with strides needs constant sizes";
  return {{"AveragePool", 7, average_pool, "`R.nn.avg_pool1d`, `R.nn.avg_pool2d`, `R.nn.avg_pool3d`", kSizes},
          {"MaxPool", 1, max_pool,
           "`R.nn.max_pool1d`, `R.nn.max_pool2d`, `R.nn.max_pool3d`; places by `R.nn.max_pool2d_indices` and its kin",
           kSizes},
          {"LpPool", 2, in_float32<lp_pool>, "`R.nn.avg_pool2d` and its kin, of `R.abs`, `R.power`", kSizes},
          {"GlobalAveragePool", 1, global_average_pool, "`R.mean`"},
          {"GlobalMaxPool", 1, global_max_pool, "`R.max`"},
          {"GlobalLpPool", 2, in_float32<global_lp_pool>, "`R.sum` of `R.abs`, `R.power`"},
          {"MaxUnpool", 9, max_unpool, "`R.scatter_elements` of `R.zeros`, `R.reshape`, `R.nn.pad`",
           "sizes must be constant"}};
}

}  // namespace sunmao::onnx
