// Converters of ops that look for elements, or put them in order of size.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "eval/element.h"
#include "frontend/shapes.h"
#include "frontend/torch/indexed.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

constexpr DType kPlaces = DType::int_(64);

/// Bools are searched and sorted as integers.
Expr ordered(const NodeContext& n, const Expr& x) {
  return dtype_of(x).is_bool() ? converted(n.builder, x, DType::uint(8), n.span) : x;
}
Expr with_an_axis(const NodeContext& n, const Expr& x) {
  return rank_of(x) == 0 ? with_axes(n.builder, x, {0}, n.span) : x;
}
/// Gives results in the dtype and the rank of `self`; places keep their dtype.
Expr as_self_ranked(const NodeContext& n, const Expr& y) {
  return rank_of(n.tensor("self")) == 0 && rank_of(y) == 1 ? without_axes(n.builder, y, {0}, n.span) : y;
}
Expr value_as_self(const NodeContext& n, const Expr& y) {
  return as_self_ranked(n, converted(n.builder, y, dtype_of(n.tensor("self")), n.span));
}

/// A tensor of rank 0 has its extreme at place 0.
template <OpName op>
Results place(const NodeContext& n) {
  Expr x = ordered(n, n.tensor("self"));
  if (rank_of(x) == 0) return n.constant(kPlaces, 0);
  AttrMap attrs{{"keepdims", n.boolean("keepdim", false)}};
  if (n.has("dim")) attrs["axis"] = n.integer("dim");
  return n.call(op.text, {x}, std::move(attrs));
}

/// Converts `max.dim` and `min.dim`: the extremes, and where each first stands.
template <OpName value, OpName at>
Results extreme_and_place(const NodeContext& n) {
  Expr x = n.tensor("self");
  AttrMap attrs{{"keepdims", n.boolean("keepdim", false)}};
  if (rank_of(x) == 0) return {x, n.constant(kPlaces, 0)};
  attrs["axis"] = AttrValue::ints({n.integer("dim")});
  return {n.call(value.text, {x}, std::move(attrs)), place<at>(n).values[0]};
}

Results argsort(const NodeContext& n) {
  Expr x = with_an_axis(n, ordered(n, n.tensor("self")));
  return as_self_ranked(
      n, n.call("argsort", {x},
                {{"axis", n.integer("dim", -1)}, {"descending", n.boolean("descending", false)}, {"dtype", kPlaces}}));
}
Results sort(const NodeContext& n) {
  Expr x = with_an_axis(n, n.tensor("self")), places = argsort(n).values[0];
  Expr values = n.call("gather_elements", {x, with_an_axis(n, places)}, {{"axis", n.integer("dim", -1)}});
  return {as_self_ranked(n, values), places};
}
Results msort(const NodeContext& n) {
  return value_as_self(n, n.call("sort", {with_an_axis(n, ordered(n, n.tensor("self")))}, {{"axis", 0}}));
}

/// Returns the first `k` elements in order and their places; the order of equal ones is the op's.
Results first_of(const NodeContext& n, const Expr& x, int64_t k, int64_t axis, bool largest) {
  const int64_t from = from_front(axis, n.rank(x), "E0704", n.span);
  const Scalar& size = n.dims(x).at(static_cast<size_t>(from));
  if (k < 1 || (find_int(size) && k > *find_int(size))) n.malformed("k");
  n.builder.require_at_most(int_imm(k), size, n.span);
  return n.fields(
      n.call("topk", {x}, {{"k", k}, {"axis", axis}, {"ret_type", "both"}, {"largest", largest}, {"dtype", kPlaces}}),
      2);
}
Results topk(const NodeContext& n) {
  const int64_t k = n.integer("k");
  Expr x = with_an_axis(n, ordered(n, n.tensor("self")));
  if (k == 0) throw UnsupportedUse{"of no elements"};
  Results out = first_of(n, x, k, n.integer("dim", -1), n.boolean("largest", true));
  return {value_as_self(n, out.values[0]), as_self_ranked(n, out.values[1])};
}
/// Converts the k-th smallest element along an axis, and its place.
Results kthvalue(const NodeContext& n) {
  Expr x = with_an_axis(n, ordered(n, n.tensor("self")));
  const int64_t k = n.integer("k"), axis = from_front(n.integer("dim", -1), n.rank(x), "E0704", n.span);
  Results out = first_of(n, x, k, axis, false);
  for (Expr& e : out.values) {
    e = sliced(n.builder, e, {{axis, int_imm(k - 1), int_imm(k)}}, n.span);
    if (!n.boolean("keepdim", false) || rank_of(n.tensor("self")) == 0) e = without_axes(n.builder, e, {axis}, n.span);
  }
  return {converted(n.builder, out.values[0], dtype_of(n.tensor("self")), n.span), out.values[1]};
}

/// The lower one of two in the middle; NaN if there is one.
Results median(const NodeContext& n) {
  Expr x = n.tensor("self");
  if (!n.has("dim")) return n.call("median", {reshaped(n.builder, x, {product(n.builder, n.dims(x))}, n.span)}, {});
  if (rank_of(x) == 0) return {x, n.constant(kPlaces, 0)};
  AttrMap attrs{{"axis", AttrValue::ints({n.integer("dim")})}, {"keepdims", n.boolean("keepdim", false)}};
  Results out = n.fields(n.call("median", {x}, std::move(attrs)), 2);
  out.values[1] = converted(n.builder, out.values[1], kPlaces, n.span);
  return out;
}

/// Converts the extreme of all elements up to each along an axis, and where it last stands: of a matrix of all pairs.
template <OpName op>
Results running_extreme(const NodeContext& n) {
  Expr x = n.tensor("self");
  if (rank_of(x) == 0) return {x, n.constant(kPlaces, 0)};
  const int64_t axis = from_front(n.integer("dim"), n.rank(x), "E0704", n.span);
  const int64_t* size = find_int(n.dims(x).at(static_cast<size_t>(axis)));
  constexpr int64_t kMost = 1024;
  if (!size || *size > kMost) throw UnsupportedUse{"along an axis of unknown or large size"};
  std::vector<int64_t> numbers(static_cast<size_t>(*size)), order;
  std::iota(numbers.begin(), numbers.end(), 0);
  for (int64_t i = 0; i < n.rank(x); ++i)
    if (i != axis) order.push_back(i);
  order.push_back(axis);
  const std::vector<int64_t> back = inverse(order);
  Expr turned = permuted(n.builder, ordered(n, x), order, n.span);
  Expr row = with_axes(n.builder, turned, {-2}, n.span), column = with_axes(n.builder, turned, {-1}, n.span);
  Expr places = ints_constant(numbers, n.span);
  Expr is_up_to = n.call("less_equal", {places, with_axes(n.builder, places, {1}, n.span)});
  Expr pairs = n.call("where", {is_up_to, row, column});  // what lies behind does not count: the element itself does
  Expr best = n.call(op.text, {pairs}, {{"axis", AttrValue::ints({-1})}, {"keepdims", true}});
  Expr is_best = n.call("equal", {pairs, best});
  if (dtype_of(x).is_float()) is_best = n.call("logical_or", {is_best, n.call("isnan", {pairs})});
  Expr found = n.call("where", {n.call("logical_and", {is_up_to, is_best}), places, n.constant(kPlaces, 0)});
  Expr last = n.call("max", {found}, {{"axis", AttrValue::ints({-1})}});
  return {converted(n.builder, permuted(n.builder, without_axes(n.builder, best, {-1}, n.span), back, n.span),
                    dtype_of(x), n.span),
          permuted(n.builder, last, back, n.span)};
}

/// Returns the elements at place `rank`, counted in order along `axis`; a fraction lies between two.
Expr at_rank(const NodeContext& n, const Expr& in_order, int64_t axis, double rank, const std::string& interpolation) {
  auto taken = [&](double place) {
    return n.call("take", {in_order, ints_constant({static_cast<int64_t>(place)}, n.span)}, {{"axis", axis}});
  };
  const double low = std::floor(rank), high = std::ceil(rank);
  if (interpolation == "lower") return taken(low);
  if (interpolation == "higher") return taken(high);
  if (interpolation == "nearest") return taken(std::nearbyint(rank));
  Expr first = taken(low);
  if (low == high) return first;
  const double weight = interpolation == "midpoint" ? 0.5 : rank - low;
  return n.call("add", {first, scaled(n.builder, n.call("subtract", {taken(high), first}), weight, n.span)});
}

/// Returns the quantile `q` along `axis`, which stays with size 1; NaN where there is one.
Expr quantile_of(const NodeContext& n, const Expr& x, int64_t axis, double q) {
  const int64_t* size = find_int(n.dims(x).at(static_cast<size_t>(axis)));
  if (!size || *size < 1) throw UnsupportedUse{"along an axis of unknown size"};
  if (!(q >= 0 && q <= 1)) n.malformed("q");
  Expr in_order = n.call("sort", {x}, {{"axis", axis}});
  Expr value = at_rank(n, in_order, axis, q * static_cast<double>(*size - 1), n.string("interpolation", "linear"));
  Expr largest = n.call("max", {x}, {{"axis", AttrValue::ints({axis})}, {"keepdims", true}});
  return n.call("where", {n.call("isnan", {largest}), largest, value});
}
/// Converts quantiles for numbers `q` that are known; several of them stand along a first axis.
Results quantile(const NodeContext& n) {
  std::vector<double> numbers;
  const bool is_list = n.has_tensor("q") && rank_of(n.tensor("q")) == 1;
  if (n.has_tensor("q")) {
    const std::optional<Array> data = n.builder.data(n.tensor("q"));
    if (!data || !data->dtype().is_float()) throw UnsupportedUse{"with numbers that depend on data"};
    for (int64_t i = 0; i < data->count(); ++i) numbers.push_back(load_element(*data, i).f);
  } else {
    numbers.push_back(n.real("q"));
  }
  Expr self = n.tensor("self"), x = self;
  if (!n.has("dim")) x = reshaped(n.builder, x, {product(n.builder, n.dims(x))}, n.span);
  const int64_t axis = from_front(n.has("dim") ? n.integer("dim") : 0, n.rank(x), "E0704", n.span);
  const bool keeps = n.boolean("keepdim", false);
  std::vector<Expr> out;
  for (double q : numbers) {
    Expr value = quantile_of(n, x, axis, q);
    if (!keeps) value = without_axes(n.builder, value, {axis}, n.span);
    if (keeps && !n.has("dim"))
      value = reshaped(n.builder, value, std::vector<Scalar>(n.dims(self).size(), int_imm(1)), n.span);
    out.push_back(value);
  }
  return is_list ? n.call("stack", {Tuple::make(out)}, {{"axis", 0}}) : out.at(0);
}

Expr bucket(const NodeContext& n, const Expr& values, const Expr& boundaries, bool right) {
  if (rank_of(boundaries) != 1) throw UnsupportedUse{"with several ordered sequences"};
  const DType t = result_dtype(std::array{operand_of(values), operand_of(boundaries)});
  return n.call("bucketize", {converted(n.builder, values, t, n.span), converted(n.builder, boundaries, t, n.span)},
                {{"out_int32", n.boolean("out_int32", false)}, {"right", right}});
}
Expr value_of(const NodeContext& n, const Expr& boundaries) {
  const Operand value = operand(n, "self");
  return value.tensor ? value.tensor : tensor_of(n, value, result_dtype(std::array{value, operand_of(boundaries)}));
}
Results bucketize(const NodeContext& n) {
  Expr boundaries = n.tensor("boundaries");
  return bucket(n, value_of(n, boundaries), boundaries, n.boolean("right", false));
}
Results searchsorted(const NodeContext& n) {
  if (n.has("sorter")) throw UnsupportedUse{"with a sorter"};
  Expr boundaries = n.tensor("sorted_sequence");
  return bucket(n, value_of(n, boundaries), boundaries,
                n.boolean("right", false) || n.string("side", "left") == "right");
}

/// With both ends 0 they would be those of the data.
Results histc(const NodeContext& n) {
  const double low = n.real("min", 0.0), high = n.real("max", 0.0);
  if (low >= high) throw UnsupportedUse{"with bounds that depend on data"};
  Expr x = n.tensor("self");
  Expr counts = n.call("histogram", {x}, {{"bins", n.integer("bins", 100)}, {"min", low}, {"max", high}});
  return converted(n.builder, counts, dtype_of(x), n.span);
}

}  // namespace

std::vector<Converter> search_converters() {
  const char *one_sequence = "one ordered sequence alone", *of_places = "`R.argsort` and `R.gather_elements`",
             *of_pairs = "`R.max` of `R.where` over all pairs", *axis_known = "an axis of at most 1024 elements";
  return {{"aten.argmax.default", place<"argmax">, "`R.argmax`"},
          {"aten.argmin.default", place<"argmin">, "`R.argmin`"},
          {"aten.max.dim", extreme_and_place<"max", "argmax">, "`R.max` and `R.argmax`"},
          {"aten.min.dim", extreme_and_place<"min", "argmin">, "`R.min` and `R.argmin`"},
          {"aten.argsort.default", argsort, "`R.argsort`"},
          {"aten.argsort.stable", argsort, "`R.argsort`"},
          {"aten.sort.default", sort, of_places},
          {"aten.sort.stable", sort, of_places},
          {"aten.msort.default", msort, "`R.sort`"},
          {"aten.topk.default", topk, "`R.topk`", "k must be known"},
          {"aten.kthvalue.default", kthvalue, "`R.topk` and `R.strided_slice`", "k must be known"},
          {"aten.median.default", median, "`R.median`"},
          {"aten.median.dim", median, "`R.median`"},
          {"aten.cummax.default", running_extreme<"max">, of_pairs, axis_known},
          {"aten.cummin.default", running_extreme<"min">, of_pairs, axis_known},
          {"aten.quantile.default", quantile, "`R.take` of `R.sort`", "numbers and sizes must be known"},
          {"aten.quantile.scalar", quantile, "`R.take` of `R.sort`", "the size must be known"},
          {"aten.bucketize.Tensor", bucketize, "`R.bucketize`"},
          {"aten.bucketize.Scalar", bucketize, "`R.bucketize`"},
          {"aten.searchsorted.Tensor", searchsorted, "`R.bucketize`", one_sequence},
          {"aten.searchsorted.Scalar", searchsorted, "`R.bucketize`", one_sequence},
          {"aten.histc.default", histc, "`R.histogram`", "the bounds must be given"}};
}

}  // namespace sunmao::torch
