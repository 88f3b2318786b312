// Converters of ops that take a part of a tensor along an axis, or cut it into parts.
#include <algorithm>
#include <limits>

#include "frontend/shapes.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

constexpr int64_t kToTheEnd = std::numeric_limits<int64_t>::max();

int64_t dim_of(const NodeContext& n, const Expr& x) {
  return from_front(n.integer("dim", 0), n.rank(x), "E0704", n.span);
}
const Scalar& size_along(const NodeContext& n, const Expr& x, int64_t axis) {
  return n.dims(x).at(static_cast<size_t>(axis));
}

/// Returns an index of an element, counted from the front.
Scalar place_from_front(const NodeContext& n, const Scalar& index, const Scalar& size) {
  if (const int64_t* i = find_int(index); i && *i < 0) return n.builder.simplify(size + index);
  return index;
}

AxisSlice slice_of(const NodeContext& n, const Expr& self) {
  return {dim_of(n, self), n.size("start", 0), n.size("end", kToTheEnd), n.integer("step", 1)};
}
AxisSlice narrow_of(const NodeContext& n, const Expr& self) {
  const int64_t axis = dim_of(n, self);
  const Scalar begin = place_from_front(n, n.size("start"), size_along(n, self, axis));
  return {axis, begin, n.builder.simplify(begin + n.size("length")), 1};
}
AxisSlice select_of(const NodeContext& n, const Expr& self) {
  const int64_t axis = dim_of(n, self);
  const Scalar begin = place_from_front(n, n.size("index"), size_along(n, self, axis));
  return {axis, begin, n.builder.simplify(begin + int_imm(1)), 1};
}

using SliceOf = AxisSlice (*)(const NodeContext&, const Expr&);

/// True when the bounds are known to lie in the tensor, in this order.
bool lies_within(const NodeContext& n, const AxisSlice& s, const Scalar& size) {
  auto is_ordered = [&](const Scalar& a, const Scalar& b) {
    return n.builder.can_prove(Binary::make(BinaryOp::Le, a, b));
  };
  return is_ordered(int_imm(0), s.begin) && is_ordered(s.begin, s.end) && is_ordered(s.end, size);
}

/// Returns a slice, whose size is end - begin where that is known to lie in the tensor.
Expr slice_along(const NodeContext& n, const Expr& x, const AxisSlice& s) {
  const Scalar& size = size_along(n, x, s.axis);
  const int64_t* begin = find_int(s.begin);
  const bool reaches_end = n.builder.can_prove(Binary::make(BinaryOp::Ge, s.end, size));
  const bool is_known = begin && (find_int(s.end) || (*begin == 0 && reaches_end));
  const AxisSlice inside{s.axis, s.begin, reaches_end ? size : s.end};
  if (is_known || s.step != 1 || !lies_within(n, inside, size)) return sliced(n.builder, x, {s}, n.span);
  auto one = [](const Scalar& value) { return Tuple::make({scalar_operand(value)}); };
  return n.call("strided_slice", {x, one(int_imm(s.axis)), one(inside.begin), one(inside.end)},
                {{"assume_inbound", true}});
}

/// Returns a slice whose bounds are numbers that may be negative, and that only a run knows.
Expr slice_by_numbers(const NodeContext& n, const Expr& x) {
  const int64_t axis = dim_of(n, x);
  std::vector<int64_t> is_axis(static_cast<size_t>(n.rank(x)), 0);
  is_axis.at(static_cast<size_t>(axis)) = 1;
  const Expr here = converted(n.builder, ints_constant(is_axis, n.span), DType::bool_(), n.span);
  const auto along = [&](const Expr& number, int64_t otherwise) {
    return n.call("where", {here, number, integer_constant(DType::int_(64), otherwise, n.span)});
  };
  const auto bound = [&](const char* name, int64_t otherwise) {
    return along(n.has(name) ? n.number_tensor(name) : integer_constant(DType::int_(64), otherwise, n.span), otherwise);
  };
  const Expr step = integer_constant(DType::int_(64), n.integer("step", 1), n.span);
  return n.call("dynamic_strided_slice", {x, bound("start", 0), bound("end", kToTheEnd), along(step, 1)});
}

template <SliceOf slice>
Results take_slice(const NodeContext& n) {
  Expr x = n.tensor("self");
  const bool has_sizes = n.is_size("start") && n.is_size("end") && n.is_size("length");
  if (slice == slice_of && !has_sizes) return slice_by_numbers(n, x);
  return as_recorded(n, slice_along(n, x, slice(n, x)));
}

/// Returns `self` with `part` in the place of a slice.
Expr with_slice(const NodeContext& n, const Expr& self, const Expr& part, const AxisSlice& s) {
  const Scalar& size = size_along(n, self, s.axis);
  const int64_t* end = find_int(s.end);
  const bool to_the_end = end && *end >= std::numeric_limits<int32_t>::max();
  Expr source = converted(n.builder, part, dtype_of(self), n.span);
  return n.call("slice_scatter",
                {self, source, scalar_operand(s.begin), scalar_operand(to_the_end ? size : s.end),
                 scalar_operand(int_imm(s.step))},
                {{"axis", s.axis}});
}
template <SliceOf slice>
Expr write_slice(const NodeContext& n, const Expr& self, const Expr& part) {
  return with_slice(n, self, part, slice(n, self));
}

/// Of an axis whose size only a run knows, the element is taken by its index.
Results select(const NodeContext& n) {
  Expr x = n.tensor("self");
  if (!n.is_size("index")) return n.call("take", {x, n.number_tensor("index")}, {{"axis", dim_of(n, x)}});
  const AxisSlice s = select_of(n, x);
  if (!find_int(size_along(n, x, s.axis)) || !find_int(s.begin)) {
    Expr index = sunmao::tensor_of(n.builder, {n.size("index")}, false, n.span);
    return n.call("take", {x, index}, {{"axis", s.axis}});
  }
  return without_axes(n.builder, sliced(n.builder, x, {s}, n.span), {s.axis}, n.span);
}
/// An index that only a run knows is checked there.
Expr write_selected(const NodeContext& n, const Expr& self, const Expr& part) {
  const AxisSlice s = select_of(n, self);
  const Scalar last = size_along(n, self, s.axis) - int_imm(1);
  n.builder.require_equal(n.builder.simplify(min(max(s.begin, int_imm(0)), last)), s.begin, n.span);
  return with_slice(n, self, with_axes(n.builder, part, {s.axis}, n.span), s);
}

Results slice_scatter(const NodeContext& n) {
  Expr x = n.tensor("self"), src = n.tensor("src");
  const AxisSlice s = slice_of(n, x);
  std::vector<Scalar> dims = n.dims(sliced(n.builder, x, {s}, n.span));
  return with_slice(n, x, broadcast(n.builder, src, dims, n.span), s);
}
Results select_scatter(const NodeContext& n) {
  Expr x = n.tensor("self");
  std::vector<Scalar> dims = n.dims(x);
  dims.erase(dims.begin() + dim_of(n, x));
  return write_selected(n, x, broadcast(n.builder, n.tensor("src"), dims, n.span));
}

/// Cuts at the given places.
Results cut(const NodeContext& n, const Expr& x, int64_t axis, std::vector<Scalar> places) {
  if (places.empty()) return x;
  std::vector<int64_t> numbers;
  for (const Scalar& p : places)
    if (find_int(p)) numbers.push_back(*find_int(p));
  if (numbers.size() == places.size() && find_int(size_along(n, x, axis)))
    return n.fields(n.call("split", {x}, {{"indices_or_sections", AttrValue::ints(numbers)}, {"axis", axis}}),
                    numbers.size() + 1);
  places.push_back(size_along(n, x, axis));
  std::vector<Expr> out;
  Scalar begin = int_imm(0);
  for (const Scalar& end : places) {
    out.push_back(sliced(n.builder, x, {{axis, begin, end}}, n.span));
    begin = end;
  }
  return Results(std::move(out));
}

/// Cuts into as many parts as the exporter recorded, of `size` elements each but for the last.
Results cut_equally(const NodeContext& n, const Scalar& size) {
  Expr x = n.tensor("self");
  std::vector<Scalar> places;
  for (size_t i = 1; i < n.output_count(); ++i)
    places.push_back(n.builder.simplify(size * int_imm(static_cast<int64_t>(i))));
  return cut(n, x, dim_of(n, x), std::move(places));
}
Results split(const NodeContext& n) { return cut_equally(n, n.size("split_size")); }
Results chunk(const NodeContext& n) {
  Expr x = n.tensor("self");
  const Scalar size = size_along(n, x, dim_of(n, x)), chunks = int_imm(n.integer("chunks"));
  return cut_equally(n, n.builder.simplify(floor_div(size + chunks - int_imm(1), chunks)));
}

Results split_with_sizes(const NodeContext& n) {
  Expr x = n.tensor("self");
  std::vector<Scalar> sizes = n.sizes(n.has("split_sizes") ? "split_sizes" : "split_size"), places;
  Scalar end = int_imm(0);
  for (size_t i = 0; i + 1 < sizes.size(); ++i) places.push_back(end = n.builder.simplify(end + sizes[i]));
  return cut(n, x, dim_of(n, x), std::move(places));
}

/// Cuts into parts of which the first are larger by one where the size is no multiple.
Results cut_in_sections(const NodeContext& n, int64_t axis) {
  Expr x = n.tensor("self");
  const int64_t count = n.integer("sections");
  if (count != static_cast<int64_t>(n.output_count())) n.malformed("sections");
  const Scalar sections = int_imm(count), &size = size_along(n, x, axis);
  std::vector<Scalar> places;
  for (int64_t i = 1; i < count; ++i)
    places.push_back(
        n.builder.simplify(floor_div(size, sections) * int_imm(i) + min(floor_mod(size, sections), int_imm(i))));
  return cut(n, x, axis, std::move(places));
}
Results cut_at_indices(const NodeContext& n, int64_t axis) {
  Expr x = n.tensor("self");
  std::vector<Scalar> places;
  for (const Scalar& index : n.sizes("indices")) places.push_back(place_from_front(n, index, size_along(n, x, axis)));
  return cut(n, x, axis, std::move(places));
}

Results tensor_split(const NodeContext& n) {
  const int64_t axis = dim_of(n, n.tensor("self"));
  return n.has("sections") ? cut_in_sections(n, axis) : cut_at_indices(n, axis);
}
/// Cuts along `axis`; vectors along 0.
template <int64_t axis>
Results split_along(const NodeContext& n) {
  const int64_t place = n.rank(n.tensor("self")) == 1 ? 0 : axis;
  if (place >= n.rank(n.tensor("self"))) n.malformed("self");
  return n.has("sections") ? cut_in_sections(n, place) : cut_at_indices(n, place);
}

Results unbind(const NodeContext& n) {
  Expr x = n.tensor("self");
  const int64_t axis = dim_of(n, x);
  std::vector<Expr> out;
  for (size_t i = 0; i < n.output_count(); ++i) {
    const auto begin = static_cast<int64_t>(i);
    Expr part = sliced(n.builder, x, {{axis, int_imm(begin), int_imm(begin + 1)}}, n.span);
    out.push_back(without_axes(n.builder, part, {axis}, n.span));
  }
  return Results(std::move(out));
}

constexpr int64_t kMostDifferences = 1000;

/// Converts the differences of neighbours, `n` times over.
Results diff(const NodeContext& n) {
  std::vector<Expr> parts{n.tensor("self")};
  const int64_t axis = from_front(n.integer("dim", -1), n.rank(parts[0]), "E0704", n.span), times = n.integer("n", 1);
  if (times < 0 || times > kMostDifferences) n.malformed("n");
  if (times == 0) return parts[0];
  if (n.has("prepend")) parts.insert(parts.begin(), n.tensor("prepend"));
  if (n.has("append")) parts.push_back(n.tensor("append"));
  Expr x = parts.size() == 1 ? parts[0] : n.call("concat", {Tuple::make(parts)}, {{"axis", axis}});
  for (int64_t i = 0; i < times; ++i) {
    Expr behind = sliced(n.builder, x, {{axis, int_imm(1), int_imm(kToTheEnd)}}, n.span);
    Expr before = sliced(n.builder, x, {{axis, int_imm(0), int_imm(-1)}}, n.span);
    x = n.call(dtype_of(x).is_bool() ? "not_equal" : "subtract", {behind, before});
  }
  return as_recorded(n, x);
}

}  // namespace

std::vector<Converter> slice_converters() {
  const char *slice = "`R.strided_slice`", *differences = "`R.subtract` of `R.strided_slice`";
  std::vector<Converter> rows{
      {"aten.slice.Tensor", take_slice<slice_of>, slice, "", Alias::View, write_slice<slice_of>},
      {"aten.slice_copy.Tensor", take_slice<slice_of>, slice},
      {"aten.narrow.default", take_slice<narrow_of>, slice, "", Alias::View, write_slice<narrow_of>},
      {"aten.narrow_copy.default", take_slice<narrow_of>, slice},
      {"aten.select.int", select, "`R.squeeze` of `R.strided_slice`, or `R.take`", "", Alias::View, write_selected},
      {"aten.select_copy.int", select, "`R.squeeze` of `R.strided_slice`, or `R.take`"},
      {"aten.slice_scatter.default", slice_scatter, "`R.slice_scatter`"},
      {"aten.select_scatter.default", select_scatter, "`R.slice_scatter`"},
      {"aten.diff.default", diff, differences},
      {"aten.unbind.int", unbind, "`R.squeeze` of `R.strided_slice`", "", Alias::View},
      {"aten.unbind_copy.int", unbind, "`R.squeeze` of `R.strided_slice`"}};
  const char* split_up = "`R.split`, or `R.strided_slice` for sizes that only a run knows";
  for (const auto& [target, convert] : {std::pair<const char*, Convert>{"aten.split.Tensor", split},
                                        {"aten.split.sizes", split_with_sizes},
                                        {"aten.split_with_sizes.default", split_with_sizes},
                                        {"aten.chunk.default", chunk},
                                        {"aten.tensor_split.sections", tensor_split},
                                        {"aten.tensor_split.indices", tensor_split},
                                        {"aten.vsplit.int", split_along<0>},
                                        {"aten.vsplit.array", split_along<0>},
                                        {"aten.hsplit.int", split_along<1>},
                                        {"aten.hsplit.array", split_along<1>},
                                        {"aten.dsplit.int", split_along<2>},
                                        {"aten.dsplit.array", split_along<2>}})
    rows.push_back({target, convert, split_up, "", Alias::View});
  for (const auto& [target, convert] : {std::pair<const char*, Convert>{"aten.split_copy.Tensor", split},
                                        {"aten.split_with_sizes_copy.default", split_with_sizes},
                                        {"aten.unsafe_split.Tensor", split},
                                        {"aten.unsafe_split_with_sizes.default", split_with_sizes},
                                        {"aten.unsafe_chunk.default", chunk}})
    rows.push_back({target, convert, split_up});
  return rows;
}

}  // namespace sunmao::torch
