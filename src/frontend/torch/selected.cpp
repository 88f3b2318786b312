// Converters of ops whose result is as large as data decides.
#include "frontend/torch/selected.h"

#include "frontend/shapes.h"
#include "frontend/torch/data_symbols.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

constexpr DType kPlace = DType::int_(64);

Expr flat(const NodeContext& n, const Expr& x) {
  return reshaped(n.builder, x, {product(n.builder, n.dims(x))}, n.span);
}
Expr at_places(const NodeContext& n, const Expr& x, const Expr& places, int64_t axis) {
  return n.call("take", {x, places}, {{"axis", axis}});
}
/// Returns 0, 1, … up to `count`.
Expr up_to(const NodeContext& n, const Scalar& count) {
  return n.call("arange", {scalar_operand(int_imm(0)), scalar_operand(count), scalar_operand(int_imm(1))},
                {{"dtype", kPlace}});
}
Expr one_more(const NodeContext& n, const Expr& x, double more) {
  return n.call("add", {x, n.constant(dtype_of(x), more)});
}

Results nonzero(const NodeContext& n) {
  return permuted(n.builder, places_of(n, n.tensor("self"), size_of_data(n)), {1, 0}, n.span);
}
/// Gives a vector of places for each axis; a tensor of rank 0 counts as one of rank 1.
Results nonzero_by_axis(const NodeContext& n) {
  Expr x = n.tensor(n.has("condition") ? "condition" : "self");
  if (rank_of(x) == 0) x = with_axes(n.builder, x, {0}, n.span);
  return Results(places_by_axis(n, x, size_of_data(n)));
}

/// Gives the first places, then rows of `fill_value`: of a size that is known.
Results nonzero_static(const NodeContext& n) {
  const int64_t size = n.integer("size");
  Expr x = n.tensor("self"), mask = converted(n.builder, flat(n, x), DType::bool_(), n.span);
  const Scalar count = n.dims(mask).at(0), room = int_imm(size);
  Expr number = n.call("cumsum", {converted(n.builder, mask, kPlace, n.span)}, {{"axis", 0}});
  Expr beyond = n.constant(kPlace, static_cast<double>(size));
  Expr row = n.call("where", {mask, n.call("minimum", {one_more(n, number, -1), beyond}), beyond});
  Expr none = n.call("full", {ShapeExpr::make({n.builder.simplify(room + int_imm(1))}), n.constant(kPlace, -1)},
                     {{"dtype", kPlace}});
  Expr found = n.call("scatter_elements", {none, row, up_to(n, count)}, {{"axis", 0}, {"reduction", "update"}});
  found = sliced(n.builder, found, {{0, int_imm(0), room}}, n.span);
  Expr fill = n.constant(kPlace, static_cast<double>(n.integer("fill_value", -1)));
  std::vector<Expr> columns;
  Expr rest = found;
  for (size_t axis = n.dims(x).size(); axis-- > 0;) {
    const Expr length = sunmao::tensor_of(n.builder, {max(n.dims(x)[axis], int_imm(1))}, false, n.span);
    const Expr at = n.call("floor_mod", {rest, length});
    columns.insert(columns.begin(), n.call("where", {n.call("less", {found, n.constant(kPlace, 0)}), fill, at}));
    rest = n.call("floor_divide", {rest, length});
  }
  if (columns.empty()) throw UnsupportedUse{"of a tensor of rank 0"};
  return n.call("stack", {Tuple::make(columns)}, {{"axis", 1}});
}

Results masked_select(const NodeContext& n) {
  Expr x = n.tensor("self"), mask = n.tensor("mask");
  const Expr both = n.call("where", {mask, x, x});
  const std::vector<Scalar> dims = n.dims(both);
  mask = broadcast(n.builder, mask, dims, n.span);
  const Expr places = places_by_axis(n, flat(n, mask), size_of_data(n))[0];
  return at_places(n, flat(n, broadcast(n.builder, x, dims, n.span)), places, 0);
}

/// Returns unique(x) with what the node asks for; outputs that it does not ask for are null.
Results unique_of(const NodeContext& n, const Expr& x, AttrMap attrs) {
  const bool inverse = n.boolean("return_inverse", false), counts = n.boolean("return_counts", false);
  attrs["sorted"] = true;
  attrs["return_inverse"] = inverse;
  attrs["return_counts"] = counts;
  Expr all = n.call("unique", {x}, std::move(attrs));
  if (!inverse && !counts) return all;
  const std::vector<Expr> fields = n.fields(all, 1U + inverse + counts).values;
  return {fields[0], inverse ? fields[1] : nullptr, counts ? fields.back() : nullptr};
}
Results unique(const NodeContext& n) {
  Expr x = n.tensor("self");
  Results out = unique_of(n, flat(n, x), {});
  if (out.values.size() > 1 && out.values[1]) out.values[1] = reshaped(n.builder, out.values[1], n.dims(x), n.span);
  return out;
}
Results unique_dim(const NodeContext& n) {
  Expr x = n.tensor("self");
  return unique_of(n, x, {{"axis", from_front(n.integer("dim"), n.rank(x), "E0704", n.span)}});
}

/// Returns which elements along an axis differ from the one before them; the first one does.
Expr begins(const NodeContext& n, const Expr& x, int64_t axis) {
  const Expr at = up_to(n, n.dims(x).at(static_cast<size_t>(axis)));
  const Expr before = n.call("maximum", {one_more(n, at, -1), n.constant(kPlace, 0)});
  Expr differs = n.call("not_equal", {x, at_places(n, x, before, axis)});
  std::vector<int64_t> others;
  for (int64_t a = 0; a < n.rank(x); ++a)
    if (a != axis) others.push_back(a);
  if (!others.empty()) {
    const Expr count =
        n.call("sum", {converted(n.builder, differs, kPlace, n.span)}, {{"axis", AttrValue::ints(others)}});
    differs = n.call("not_equal", {count, n.constant(kPlace, 0)});
  }
  return n.call("logical_or", {differs, n.call("equal", {at, n.constant(kPlace, 0)})});
}

/// Equal neighbours count once: elements, or slices along `dim`.
Results unique_consecutive(const NodeContext& n) {
  Expr self = n.tensor("self"), x = n.has("dim") ? self : flat(n, self);
  const int64_t axis = n.has("dim") ? from_front(n.integer("dim"), n.rank(x), "E0704", n.span) : 0;
  const Scalar count = size_of_data(n);
  const Expr first = n.builder.bind(begins(n, x, axis), "begins");
  const Expr places = n.builder.bind(places_by_axis(n, first, count)[0], "places");
  Results out{at_places(n, x, places, axis), nullptr, nullptr};
  if (n.boolean("return_inverse", false)) {
    const Expr number = n.call("cumsum", {converted(n.builder, first, kPlace, n.span)}, {{"axis", 0}});
    out.values[1] = one_more(n, number, -1);
    if (!n.has("dim")) out.values[1] = reshaped(n.builder, out.values[1], n.dims(self), n.span);
  }
  if (n.boolean("return_counts", false)) {
    const Expr end = sunmao::tensor_of(n.builder, {n.dims(x).at(static_cast<size_t>(axis))}, true, n.span);
    const Expr ends = n.call("concat", {Tuple::make({places, end})}, {{"axis", 0}});
    out.values[2] = n.call("subtract", {at_places(n, ends, one_more(n, up_to(n, count), 1), 0), places});
  }
  return out;
}

/// Counts how often each number from 0 on occurs, or adds up weights.
Results bincount(const NodeContext& n) {
  Expr x = converted(n.builder, n.tensor("self"), kPlace, n.span);
  const Expr least = ints_constant({n.integer("minlength", 0) - 1}, n.span);
  const Expr most = n.call("max", {n.call("concat", {Tuple::make({x, least})}, {{"axis", 0}})});
  const Scalar count = size_of_data(n);
  read_size(n.builder, one_more(n, most, 1), count, n.span);
  const DType dtype = n.has("weights") && !n.recorded_dtype().is_void() ? n.recorded_dtype() : kPlace;
  const auto filled = [&](const Scalar& size, double value) {
    return n.call("full", {ShapeExpr::make({size}), n.constant(dtype, value)}, {{"dtype", dtype}});
  };
  const Expr added =
      n.has("weights") ? converted(n.builder, n.tensor("weights"), dtype, n.span) : filled(n.dims(x).at(0), 1);
  return n.call("scatter_elements", {filled(count, 0), x, added},
                {{"axis", 0}, {"reduction", "add"}, {"from_end", false}});
}

/// Returns the number of each place, as often as `repeats` says there.
Expr repeated_places(const NodeContext& n, const Expr& repeats) {
  const Expr ends = n.call("cumsum", {converted(n.builder, repeats, kPlace, n.span)}, {{"axis", 0}});
  Scalar count;
  if (n.has("output_size")) {
    count = n.size("output_size");
  } else {
    count = size_of_data(n);
    read_size(n.builder, n.call("sum", {converted(n.builder, repeats, kPlace, n.span)}), count, n.span);
  }
  return n.call("bucketize", {up_to(n, count), ends}, {{"out_int32", false}, {"right", true}});
}
Results repeat_by_tensor(const NodeContext& n) {
  return converted(n.builder, repeated_places(n, n.tensor("repeats")), n.recorded_dtype(), n.span);
}
Results repeat_self_by_tensor(const NodeContext& n) {
  Expr self = n.tensor("self"), x = n.has("dim") ? self : flat(n, self);
  const int64_t axis = n.has("dim") ? from_front(n.integer("dim"), n.rank(x), "E0704", n.span) : 0;
  const Scalar size = n.dims(x).at(static_cast<size_t>(axis));
  return at_places(n, x, repeated_places(n, broadcast(n.builder, flat(n, n.tensor("repeats")), {size}, n.span)), axis);
}

}  // namespace

Scalar size_of_data(const NodeContext& n) {
  for (size_t i = 0; i < n.output_count(); ++i) {
    const Type type = n.recorded(i);
    const auto* tensor = type ? find<TensorType>(type) : nullptr;
    if (!tensor || !tensor->dims()) continue;
    for (const Scalar& size : *tensor->dims())
      if (find<SymVar>(size) && !n.builder.is_sized_by_inputs(size)) return size;
  }
  return new_size(n.builder, "count");
}

Expr places_of(const NodeContext& n, const Expr& x, const Scalar& count) {
  const auto typed = [&](const Expr& places) {
    return n.builder.checked(places, TensorType::make({int_imm(n.rank(x)), count}, kPlace));
  };
  const Expr known = n.once(x, [&] {
    const Expr places = n.builder.bind(n.call("nonzero", {x}), "places");
    const Ref<SymVar> symbol = find_ref<SymVar>(count);
    const Scalar elements = product(n.builder, n.dims(x));
    if (symbol && find_int(elements)) n.builder.assume(symbol, {0, *find_int(elements)});
    return typed(places);
  });
  const bool has_count = !n.builder.is_sized_by_inputs(count) ||
                         n.builder.can_prove(Binary::make(BinaryOp::Eq, n.dims(known).at(1), count));
  return has_count ? known : typed(known);
}

std::vector<Expr> places_by_axis(const NodeContext& n, const Expr& x, const Scalar& count) {
  const Expr places = places_of(n, x, count);
  std::vector<Expr> out;
  for (int64_t axis = 0; axis < n.rank(x); ++axis) {
    const Expr row = sliced(n.builder, places, {{0, int_imm(axis), int_imm(axis + 1)}}, n.span);
    out.push_back(without_axes(n.builder, row, {0}, n.span));
  }
  return out;
}

std::vector<Converter> selected_converters() {
  const char *places = "`R.nonzero`", *takes = "`R.take` at `R.nonzero`", *unique_op = "`R.unique`",
             *repeats = "`R.bucketize` of `R.cumsum`";
  return {{"aten.nonzero.default", nonzero, places},
          {"aten.argwhere.default", nonzero, places},
          {"aten.nonzero_numpy.default", nonzero_by_axis, places},
          {"aten.where.default", nonzero_by_axis, places},
          {"aten.nonzero_static.default", nonzero_static, "`R.scatter_elements`", "the size must be known"},
          {"aten.masked_select.default", masked_select, takes},
          {"aten._unique2.default", unique, unique_op},
          {"aten.unique_dim.default", unique_dim, unique_op},
          {"aten.unique_consecutive.default", unique_consecutive, takes},
          {"aten.bincount.default", bincount, "`R.scatter_elements`"},
          {"aten.repeat_interleave.Tensor", repeat_by_tensor, repeats},
          {"aten.repeat_interleave.self_Tensor", repeat_self_by_tensor, "`R.take` at `R.bucketize` of `R.cumsum`"}};
}

}  // namespace sunmao::torch
