// Converters of the median of numbers and of the most frequent element, with where they stand.
#include <limits>

#include "frontend/shapes.h"
#include "frontend/torch/indexed.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

constexpr DType kOfPlaces = DType::int_(64);

AttrMap along(int64_t axis, bool keeps) { return {{"axis", AttrValue::ints({axis})}, {"keepdims", keeps}}; }

void require_elements(const NodeContext& n, const Expr& x, int64_t axis) {
  if (const int64_t* size = find_int(n.dims(x).at(static_cast<size_t>(axis))); size && *size == 0)
    throw UnsupportedUse{"of no elements"};
}

/// Returns the lower one of two in the middle of the numbers along an axis, and its place; NaN where there are none.
Results middle_number(const NodeContext& n, const Expr& x, int64_t axis, bool keeps) {
  require_elements(n, x, axis);
  const Expr places = n.call("argsort", {x}, {{"axis", axis}, {"dtype", kOfPlaces}});  // NaN stands last
  Expr count = n.call("sum", {converted(n.builder, n.call("logical_not", {n.call("isnan", {x})}), kOfPlaces, n.span)},
                      along(axis, true));
  const Expr last =
      n.call("maximum", {n.call("subtract", {count, n.constant(kOfPlaces, 1)}), n.constant(kOfPlaces, 0)});
  const Expr middle = n.call("floor_divide", {last, n.constant(kOfPlaces, 2)});
  Expr place = n.call("gather_elements", {places, middle}, {{"axis", axis}});
  Expr value = n.call("gather_elements", {x, place}, {{"axis", axis}});
  if (keeps) return {value, place};
  return {without_axes(n.builder, value, {axis}, n.span), without_axes(n.builder, place, {axis}, n.span)};
}

/// Converts the median of those elements that are numbers.
Results nan_median(const NodeContext& n) {
  Expr x = n.tensor("self");
  if (!n.has("dim")) {
    Expr flat = reshaped(n.builder, x, {product(n.builder, n.dims(x))}, n.span);
    return dtype_of(x).is_float() ? Results(middle_number(n, flat, 0, false).values[0]) : n.call("median", {flat}, {});
  }
  if (rank_of(x) == 0) return {x, n.constant(kOfPlaces, 0)};
  const int64_t axis = from_front(n.integer("dim"), n.rank(x), "E0704", n.span);
  const bool keeps = n.boolean("keepdim", false);
  if (dtype_of(x).is_float()) return middle_number(n, x, axis, keeps);
  Results out = n.fields(n.call("median", {x}, along(axis, keeps)), 2);
  out.values[1] = converted(n.builder, out.values[1], kOfPlaces, n.span);
  return out;
}

/// Converts the smallest one of the most frequent elements, and where it last stands: each element is compared with
/// each. NaN, which is equal to nothing, is the result where there is nothing else.
Results mode(const NodeContext& n) {
  const Expr self = n.tensor("self");
  if (rank_of(self) == 0) return {self, n.constant(kOfPlaces, 0)};
  const int64_t rank = n.rank(self), axis = from_front(n.integer("dim", -1), rank, "E0704", n.span);
  const int64_t* size = find_int(n.dims(self).at(static_cast<size_t>(axis)));
  constexpr int64_t kMost = 1024;
  if (!size || *size > kMost) throw UnsupportedUse{"along an axis of unknown or large size"};
  require_elements(n, self, axis);
  const bool is_bool = dtype_of(self).is_bool(), is_float = dtype_of(self).is_float();
  std::vector<int64_t> order, places(static_cast<size_t>(*size));
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis) order.push_back(i);
  order.push_back(axis);
  for (size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int64_t>(i);
  const Expr x =
      permuted(n.builder, is_bool ? converted(n.builder, self, DType::uint(8), n.span) : self, order, n.span);
  const Expr is_equal = n.call("equal", {with_axes(n.builder, x, {-2}, n.span), with_axes(n.builder, x, {-1}, n.span)});
  const Expr counts = n.call("sum", {converted(n.builder, is_equal, kOfPlaces, n.span)}, along(-1, false));
  const Expr is_mode = n.call("equal", {counts, n.call("max", {counts}, along(-1, true))});
  const Expr most =
      is_float ? n.constant(dtype_of(x), std::numeric_limits<double>::infinity()) : n.call("max", {x}, along(-1, true));
  Expr candidates = n.call("where", {is_mode, x, most});
  if (is_float) candidates = n.call("where", {n.call("isnan", {x}), most, candidates});
  Expr value = n.call("min", {candidates}, along(-1, true));
  const Expr place =
      n.call("where", {n.call("equal", {x, value}), ints_constant(places, n.span), n.constant(kOfPlaces, -1)});
  Expr last = n.call("max", {place}, along(-1, true));
  if (is_float) {
    const Expr is_none = n.call("less", {last, n.constant(kOfPlaces, 0)});
    value = n.call("where", {is_none, n.constant(dtype_of(x), std::numeric_limits<double>::quiet_NaN()), value});
    last = n.call("maximum", {last, n.constant(kOfPlaces, 0)});
  }
  Results out{converted(n.builder, value, dtype_of(self), n.span), last};
  for (Expr& e : out.values)
    e = n.boolean("keepdim", false) ? permuted(n.builder, e, inverse(order), n.span)
                                    : without_axes(n.builder, e, {-1}, n.span);
  return out;
}

}  // namespace

std::vector<Converter> order_statistics_converters() {
  const char* of_places = "`R.gather_elements` of `R.argsort`";
  return {{"aten.nanmedian.default", nan_median, of_places},
          {"aten.nanmedian.dim", nan_median, of_places},
          {"aten.mode.default", mode, "`R.min` of elements that are counted by `R.sum` over all pairs",
           "an axis of at most 1024 elements"}};
}

}  // namespace sunmao::torch
