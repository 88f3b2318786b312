// Converters of pooling.
#include <algorithm>

#include "frontend/shapes.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

using Ints = std::vector<int64_t>;

/// Returns one number for each of `spatial` axes; none given: `otherwise`.
Ints for_window_axes(const NodeContext& n, std::string_view name, int spatial, const Ints& otherwise) {
  Ints list = n.integers(name).value_or(Ints());
  if (list.empty()) return otherwise;
  if (list.size() == 1) list.resize(static_cast<size_t>(spatial), list[0]);
  if (list.size() != static_cast<size_t>(spatial)) n.malformed(name);
  return list;
}

std::string op_name(const char* stem, int spatial, const char* suffix = "") {
  return "nn." + std::string(stem) + std::to_string(spatial) + "d" + suffix;
}

/// A tensor with a batch axis, which is added where there is none.
struct Batched {
  Expr tensor;
  bool is_added;
};
Batched batched(const NodeContext& n, int spatial, std::string_view name = "self") {
  Expr x = n.tensor(name);
  if (n.rank(x) == spatial + 2) return {x, false};
  if (n.rank(x) != spatial + 1) n.malformed(name);
  return {with_axes(n.builder, x, {0}, n.span), true};
}
Expr unbatched(const NodeContext& n, const Expr& y, const Batched& x) {
  return x.is_added ? without_axes(n.builder, y, {0}, n.span) : y;
}

AttrMap window(const NodeContext& n, int spatial) {
  const Ints ones(static_cast<size_t>(spatial), 1), zeros(static_cast<size_t>(spatial), 0);
  const Ints size = for_window_axes(n, "kernel_size", spatial, ones);
  Ints padding = for_window_axes(n, "padding", spatial, zeros);
  for (int i = 0; i < spatial; ++i) padding.push_back(padding[static_cast<size_t>(i)]);
  return {{"pool_size", AttrValue::ints(size)},
          {"strides", AttrValue::ints(for_window_axes(n, "stride", spatial, size))},
          {"padding", AttrValue::ints(padding)},
          {"dilation", AttrValue::ints(for_window_axes(n, "dilation", spatial, ones))},
          {"ceil_mode", n.boolean("ceil_mode", false)}};
}

template <int spatial>
Results max_pool(const NodeContext& n) {
  const Batched x = batched(n, spatial);
  return unbatched(n, n.call(op_name("max_pool", spatial), {x.tensor}, window(n, spatial)), x);
}
template <int spatial>
Results max_pool_with_indices(const NodeContext& n) {
  const Batched x = batched(n, spatial);
  return {unbatched(n, n.call(op_name("max_pool", spatial), {x.tensor}, window(n, spatial)), x),
          unbatched(n, n.call(op_name("max_pool", spatial, "_indices"), {x.tensor}, window(n, spatial)), x)};
}

/// Converts means over windows; a divisor of its own replaces the number of elements.
template <int spatial>
Results avg_pool(const NodeContext& n) {
  const Batched x = batched(n, spatial);
  AttrMap attrs = window(n, spatial);
  attrs["count_include_pad"] = n.boolean("count_include_pad", true);
  double factor = 1;
  if (n.has("divisor_override")) {
    if (n.boolean("ceil_mode", false)) throw UnsupportedUse{"with a divisor and ceil_mode"};
    attrs["count_include_pad"] = true;
    for (int64_t size : for_window_axes(n, "kernel_size", spatial, {})) factor *= static_cast<double>(size);
    factor /= static_cast<double>(n.integer("divisor_override"));
  }
  Expr mean = n.call(op_name("avg_pool", spatial), {x.tensor}, std::move(attrs));
  return unbatched(n, scaled(n.builder, mean, factor, n.span), x);
}

template <int spatial>
AttrMap parts(const NodeContext& n) {
  return {{"output_size", AttrValue::ints(for_window_axes(n, "output_size", spatial, {}))}};
}
template <int spatial>
Results adaptive_avg_pool(const NodeContext& n) {
  const Batched x = batched(n, spatial);
  return unbatched(n, n.call(op_name("adaptive_avg_pool", spatial), {x.tensor}, parts<spatial>(n)), x);
}

template <int spatial>
Results adaptive_max_pool(const NodeContext& n) {
  const Batched x = batched(n, spatial);
  const auto pooled = [&](const char* suffix) {
    return unbatched(n, n.call(op_name("adaptive_max_pool", spatial, suffix), {x.tensor}, parts<spatial>(n)), x);
  };
  return {pooled(""), pooled("_indices")};
}

/// Puts each element at the place that its index names within its channel.
template <int spatial>
Results max_unpool(const NodeContext& n) {
  Expr x = n.tensor("self"), indices = n.tensor("indices");
  const std::vector<Scalar> sizes = n.sizes("output_size");
  if (sizes.size() != spatial) n.malformed("output_size");
  if (n.rank(x) < spatial + 1) n.malformed("self");
  const size_t lead = n.dims(x).size() - spatial, last = n.dims(x).size() - 1;
  std::vector<Scalar> shape(n.dims(x).begin(), n.dims(x).begin() + static_cast<std::ptrdiff_t>(lead)), flat = shape;
  shape.insert(shape.end(), sizes.begin(), sizes.end());
  flat.push_back(product(n.builder, sizes));
  Expr zeros = n.call("full", {ShapeExpr::make(flat), n.constant(dtype_of(x), 0)}, {{"dtype", dtype_of(x)}});
  Expr filled =
      n.call("scatter_elements",
             {zeros, flattened(n.builder, indices, lead, last, n.span), flattened(n.builder, x, lead, last, n.span)},
             {{"axis", static_cast<int64_t>(lead)}, {"from_end", false}});
  return reshaped(n.builder, filled, shape, n.span);
}

}  // namespace

std::vector<Converter> pool_converters() {
  const char *max = "`R.nn.max_pool1d`, `R.nn.max_pool2d`, `R.nn.max_pool3d`",
             *with_indices = "`R.nn.max_pool2d`, `R.nn.max_pool2d_indices` and the like",
             *avg = "`R.nn.avg_pool1d`, `R.nn.avg_pool2d`, `R.nn.avg_pool3d`",
             *avg_limits = "no divisor together with ceil_mode", *adaptive = "`R.nn.adaptive_avg_pool2d` and the like",
             *adaptive_max = "`R.nn.adaptive_max_pool2d`, `R.nn.adaptive_max_pool2d_indices` and the like",
             *unpool = "`R.scatter_elements`";
  return {{"aten.max_pool1d.default", max_pool<1>, max},
          {"aten.max_pool2d.default", max_pool<2>, max},
          {"aten.max_pool3d.default", max_pool<3>, max},
          {"aten.max_pool1d_with_indices.default", max_pool_with_indices<1>, with_indices},
          {"aten.max_pool2d_with_indices.default", max_pool_with_indices<2>, with_indices},
          {"aten.max_pool3d_with_indices.default", max_pool_with_indices<3>, with_indices},
          {"aten.avg_pool1d.default", avg_pool<1>, avg},
          {"aten.avg_pool2d.default", avg_pool<2>, avg, avg_limits},
          {"aten.avg_pool3d.default", avg_pool<3>, avg, avg_limits},
          {"aten.adaptive_avg_pool1d.default", adaptive_avg_pool<1>, adaptive},
          {"aten.adaptive_avg_pool2d.default", adaptive_avg_pool<2>, adaptive},
          {"aten.adaptive_avg_pool3d.default", adaptive_avg_pool<3>, adaptive},
          {"aten._adaptive_avg_pool2d.default", adaptive_avg_pool<2>, adaptive},
          {"aten._adaptive_avg_pool3d.default", adaptive_avg_pool<3>, adaptive},
          {"aten.adaptive_max_pool1d.default", adaptive_max_pool<1>, adaptive_max},
          {"aten.adaptive_max_pool2d.default", adaptive_max_pool<2>, adaptive_max},
          {"aten.adaptive_max_pool3d.default", adaptive_max_pool<3>, adaptive_max},
          {"aten.max_unpool2d.default", max_unpool<2>, unpool},
          {"aten.max_unpool3d.default", max_unpool<3>, unpool}};
}

}  // namespace sunmao::torch
