// Converters of ops on shapes: Shape, Size, Reshape, Flatten, Squeeze, Unsqueeze, Expand, Tile.
#include <algorithm>
#include <unordered_set>

#include "frontend/onnx/compose.h"

namespace sunmao::onnx {
namespace {

Results shape(const NodeContext& n) {
  const Expr sizes = n.call("shape_to_tensor", {n.call("shape_of", {n.tensor(0)})});
  if (!n.has_attr("start") && !n.has_attr("end")) return sizes;
  const int64_t begin = n.int_attr("start", 0), end = n.int_attr("end", std::numeric_limits<int64_t>::max());
  return sliced(n.builder, sizes, {{.axis = 0, .begin = int_imm(begin), .end = int_imm(end)}}, n.span);
}

Results size(const NodeContext& n) { return n.call("size", {n.tensor(0)}); }

/// Replaces zeros, which stand for the dimension of the input at their place.
void copy_dims_for_zeros(const NodeContext& n, std::vector<Scalar>& target) {
  for (size_t i = 0; i < target.size(); ++i) {
    if (!is_number(target[i], 0)) continue;
    const std::vector<Scalar>& from = n.dims(0);
    if (i >= from.size())
      n.fail(fmt::format("dimension {} of the shape is 0: copied from the input, which has rank {}", i, from.size()));
    target[i] = from[i];
  }
}

bool is_open(const Scalar& s) { return !s; }

/// Reads the elements that are unknown from the vector that holds them all.
void read_open(const NodeContext& n, const Expr& vector, std::vector<Scalar>& elements) {
  std::vector<int64_t> places;
  for (size_t i = 0; i < elements.size(); ++i)
    if (is_open(elements[i])) places.push_back(static_cast<int64_t>(i));
  Expr open = vector;
  if (places.size() < elements.size())
    open = n.call("take", {vector, ints_constant(places, n.span)}, {{"axis", int64_t{0}}});
  const std::vector<Scalar> sizes = n.builder.sizes_in(open);
  for (size_t i = 0; i < places.size(); ++i) elements[static_cast<size_t>(places[i])] = sizes[i];
}

/// Reads the elements of a shape that only a run knows. They may be 0, for the size of the input at their place, or -1.
void read_shape(const NodeContext& n, std::vector<Scalar>& target) {
  Expr shape = n.tensor(1);
  if (n.int_attr("allowzero", 0) == 0) {
    std::vector<Scalar> copied = n.dims(0);
    copied.resize(target.size(), int_imm(0));
    shape = chosen(n, binary(n, "equal", shape, 0), tensor_of(n.builder, copied, true, n.span), shape);
  }
  if (std::ranges::none_of(target, [](const Scalar& s) { return s && is_number(s, -1); })) {
    const Expr is_rest = binary(n, "equal", shape, -1);
    const Expr others = n.call("prod", {chosen(n, is_rest, n.constant(DType::int_(64), 1), shape)});
    const Expr all = tensor_of(n.builder, {product(n.builder, n.dims(0))}, false, n.span);
    shape = chosen(n, is_rest, binary(n, "floor_divide", all, binary(n, "maximum", others, 1)), shape);
  }
  read_open(n, shape, target);
}

Results reshape(const NodeContext& n) {
  std::vector<Scalar> target = n.builder.known_elements(n.tensor(1));
  if (target.size() > kMaxRank) n.fail(fmt::format("a shape of {} dimensions", target.size()));
  if (std::ranges::any_of(target, is_open)) read_shape(n, target);
  if (n.int_attr("allowzero", 0) == 0) copy_dims_for_zeros(n, target);
  if (const std::vector<Scalar>* from = dims_of(n.tensor(0)))
    target = resolve_shape(n.builder, *from, std::move(target), "E0609", n.span);
  return reshaped(n.builder, n.tensor(0), std::move(target), n.span);
}

/// Returns a matrix with the axes before `axis` as rows and the others as columns.
Results flatten(const NodeContext& n) {
  const std::vector<Scalar>& dims = n.dims(0);
  const auto rank = static_cast<int64_t>(dims.size());
  int64_t axis = n.int_attr("axis", 1);
  if (axis < -rank || axis > rank) n.fail(fmt::format("axis {} is out of range for rank {}", axis, rank));
  if (axis < 0) axis += rank;
  std::span<const Scalar> all(dims);
  const auto split = static_cast<size_t>(axis);
  std::vector<Scalar> target{product(n.builder, all.first(split)), product(n.builder, all.subspan(split))};
  return reshaped(n.builder, n.tensor(0), std::move(target), n.span);
}

/// Returns how many axes input 1 names, which only a run knows.
int64_t count_of_axes(const NodeContext& n) {
  const std::vector<Scalar>& dims = n.dims(1);
  if (dims.size() != 1) n.fail(fmt::format("`axes` has rank {}. Expected a 1-D tensor", dims.size()));
  if (!find_int(dims[0])) throw UnsupportedUse{"with an unknown number of axes"};
  return *find_int(dims[0]);
}

/// Returns for each axis of a tensor of rank `rank` whether input 1 names it.
Expr are_named(const NodeContext& n, int64_t rank) {
  const DType int64 = DType::int_(64);
  const Expr given = converted(n.builder, n.tensor(1), int64, n.span);
  const Expr axes = chosen(n, binary(n, "less", given, 0), binary(n, "add", given, static_cast<double>(rank)), given);
  const Expr places = places_along(n, int_imm(rank), int64, 0, 2);
  const Expr is_pair = binary(n, "equal", places, with_axes(n.builder, axes, {0}, n.span));
  const Expr times = n.call("sum", {converted(n.builder, is_pair, int64, n.span)}, {{"axis", AttrValue::ints({1})}});
  return binary(n, "greater", times, 0);
}

Expr with_sizes_in(const NodeContext& n, const Expr& x, const Expr& sizes) {
  return reshaped(n.builder, x, n.builder.sizes_in(sizes), n.span);
}

Expr squeeze_by_data(const NodeContext& n) {
  const int64_t rank = n.rank(0), count = count_of_axes(n);
  if (count > rank) n.fail(fmt::format("{} axes of a tensor of rank {}", count, rank));
  const Expr is_kept = n.call("logical_not", {are_named(n, rank)});
  const Expr places =
      n.builder.sized(n.builder.call("nonzero", {is_kept}, {}, n.span), {int_imm(1), int_imm(rank - count)});
  const Expr kept = reshaped(n.builder, places, {int_imm(rank - count)}, n.span);
  return with_sizes_in(n, n.tensor(0),
                       n.call("take", {tensor_of(n.builder, n.dims(0), true, n.span), kept}, {{"axis", int64_t{0}}}));
}

/// The axes that are not named have the sizes of the input, in order.
Expr unsqueeze_by_data(const NodeContext& n) {
  const int64_t count = count_of_axes(n), rank = n.rank(0) + count;
  if (rank > static_cast<int64_t>(kMaxRank)) n.fail(fmt::format("a result of rank {}", rank));
  if (n.rank(0) == 0)
    return reshaped(n.builder, n.tensor(0), std::vector<Scalar>(static_cast<size_t>(count), int_imm(1)), n.span);
  const Expr is_new = are_named(n, rank);
  const Expr is_old = converted(n.builder, n.call("logical_not", {is_new}), DType::int_(64), n.span);
  const Expr place = binary(n, "subtract", n.call("cumsum", {is_old}, {{"axis", int64_t{0}}}), 1);
  const Expr size = n.call("take", {tensor_of(n.builder, n.dims(0), true, n.span), binary(n, "maximum", place, 0)},
                           {{"axis", int64_t{0}}});
  return with_sizes_in(n, n.tensor(0), chosen(n, is_new, n.constant(DType::int_(64), 1), size));
}

bool has_axes_of_data(const NodeContext& n) { return n.has_input(1) && !n.builder.elements(n.tensor(1)); }

/// Without axes, all of size 1 go.
Results squeeze(const NodeContext& n) {
  if (has_axes_of_data(n)) return squeeze_by_data(n);
  if (const auto axes = n.ints_attr_or_input("axes", 1)) return without_axes(n.builder, n.tensor(0), *axes, n.span);
  std::vector<int64_t> axes;
  const std::vector<Scalar>& dims = n.dims(0);
  for (size_t i = 0; i < dims.size(); ++i) {
    const std::string remedy = fmt::format("compile with `--dim {}=1`", sunmao::describe(dims[i]));
    if (is_dropped(n.builder, dims[i], remedy, n.span)) axes.push_back(static_cast<int64_t>(i));
  }
  return without_axes(n.builder, n.tensor(0), axes, n.span);
}

Results unsqueeze(const NodeContext& n) {
  if (has_axes_of_data(n)) return unsqueeze_by_data(n);
  const auto axes = n.ints_attr_or_input("axes", 1);
  if (!axes) n.fail("it has no axes");
  std::unordered_set<int64_t> places;
  const int64_t rank = n.rank(0) + static_cast<int64_t>(axes->size());
  for (const int64_t axis : *axes)
    if (!places.insert(axis_of(n, axis, rank)).second)
      n.fail(fmt::format("axes must be unique, {} is given twice", axis));
  return with_axes(n.builder, n.tensor(0), *axes, n.span);
}

/// Reads the wanted sizes that data decides. A size of 1 leaves that of the input, which may be another one only if it
/// is 1.
void read_wanted(const NodeContext& n, std::vector<Scalar>& wanted) {
  std::vector<Scalar> kept = n.dims(0);
  if (kept.size() > wanted.size()) kept.erase(kept.begin(), kept.end() - static_cast<std::ptrdiff_t>(wanted.size()));
  kept.insert(kept.begin(), wanted.size() - kept.size(), int_imm(1));
  Expr shape = n.tensor(1);
  if (std::ranges::any_of(kept, [](const Scalar& s) { return !is_number(s, 1); }))
    shape = chosen(n, binary(n, "equal", shape, 1), tensor_of(n.builder, kept, true, n.span), shape);
  const std::vector<Scalar> known = wanted;
  read_open(n, shape, wanted);
  for (size_t i = 0; i < wanted.size(); ++i)
    if (is_open(known[i]) && find_int(kept[i]) && !is_number(kept[i], 1))
      n.builder.require_equal(wanted[i], kept[i], n.span);
}

/// Either side may be repeated: a size of 1 in the shape leaves that of the input.
Results expand(const NodeContext& n) {
  std::vector<Scalar> wanted = n.builder.known_elements(n.tensor(1));
  const std::vector<Scalar>& own = n.dims(0);
  std::vector<bool> is_decided;  // by what is read of the data: the input is broadcast to it
  for (const Scalar& s : wanted) is_decided.push_back(is_open(s));
  if (std::ranges::any_of(wanted, is_open)) read_wanted(n, wanted);
  for (size_t i = 0; i < std::min(wanted.size(), own.size()); ++i) {
    Scalar& size = wanted[wanted.size() - 1 - i];
    if (is_decided[wanted.size() - 1 - i]) continue;
    const Scalar common = n.builder.common_size(size, own[own.size() - 1 - i]);
    n.builder.require_repeats(size, common, n.span);
    size = common;
  }
  if (wanted.size() < own.size())
    wanted.insert(wanted.begin(), own.begin(), own.end() - static_cast<std::ptrdiff_t>(wanted.size()));
  return broadcast(n.builder, n.tensor(0), std::move(wanted), n.span);
}

/// Repeats that are symbolic: each axis becomes two, of which the first is broadcast.
Expr tiled(const NodeContext& n, const std::vector<Scalar>& repeats) {
  const std::vector<Scalar>& dims = n.dims(0);
  std::vector<Scalar> apart, repeated, result;
  for (size_t i = 0; i < dims.size(); ++i) {
    apart.insert(apart.end(), {int_imm(1), dims[i]});
    repeated.insert(repeated.end(), {repeats[i], dims[i]});
    result.push_back(bounded(n.builder.simplify(repeats[i] * dims[i])));
  }
  const Expr x = n.call("reshape", {n.tensor(0), ShapeExpr::make(std::move(apart), n.span)});
  const Expr all = n.call("broadcast_to", {x, ShapeExpr::make(std::move(repeated), n.span)});
  return n.call("reshape", {all, ShapeExpr::make(std::move(result), n.span)});
}

Results tile(const NodeContext& n) {
  const std::vector<Scalar> repeats = n.sizes(1);
  if (repeats.size() != static_cast<size_t>(n.rank(0)))
    n.fail(fmt::format("{} repeats for a tensor of rank {}", repeats.size(), n.rank(0)));
  std::vector<int64_t> numbers;
  for (const Scalar& r : repeats)
    if (find_int(r)) numbers.push_back(*find_int(r));
  if (numbers.size() < repeats.size()) return tiled(n, repeats);
  if (std::ranges::all_of(numbers, [](int64_t r) { return r == 1; })) return n.tensor(0);
  return n.call("tile", {n.tensor(0)}, {{"repeats", AttrValue::ints(numbers)}});
}

}  // namespace

std::vector<Converter> shape_converters() {
  return {
      {"Shape", 1, shape, "`R.shape_to_tensor` of `R.shape_of`, `R.strided_slice`"},
      {"Size", 1, size, "`R.size`"},
      {"Reshape", 5, reshape, "`R.reshape`; by a shape that data decides also `R.tensor_to_shape`"},
      {"Flatten", 1, flatten, "`R.reshape`"},
      {"Squeeze", 1, squeeze, "`R.squeeze`; of axes that data decides `R.reshape`", "the number of axes must be known"},
      {"Unsqueeze", 1, unsqueeze, "`R.expand_dims`; at places that data decides `R.reshape`",
       "the number of axes must be known"},
      {"Expand", 8, expand, "`R.broadcast_to`; to a shape that data decides also `R.tensor_to_shape`"},
      {"Tile", 6, tile, "`R.tile`; symbolic repeats by `R.reshape`, `R.broadcast_to`"}};
}

}  // namespace sunmao::onnx
