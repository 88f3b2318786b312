// Converters that take a part of a tensor: Slice, Split.
#include <algorithm>
#include <limits>

#include "frontend/onnx/compose.h"

namespace sunmao::onnx {
namespace {

constexpr int64_t kMaxParts = 4096;                            // of one node
constexpr int64_t kFar = std::numeric_limits<int32_t>::max();  // exporters write such bounds for "to the end"

bool is_at_least(const Scalar& s, int64_t bound) { return find_int(s) && *find_int(s) >= bound; }
bool is_at_most(const Scalar& s, int64_t bound) { return find_int(s) && *find_int(s) <= bound; }

/// From the last element to the first: the axis is turned round, then sliced forwards.
bool goes_all_the_way_back(const AxisSlice& s) {
  return s.step < 0 && is_at_most(s.end, -kFar) && (is_number(s.begin, -1) || is_at_least(s.begin, kFar));
}

/// A slice backwards that begins before the first element has that element, where slices of NumPy have none.
void begin_backwards_in_bounds(AxisSlice& s, const std::vector<Scalar>* dims) {
  const int64_t* begin = find_int(s.begin);
  const int64_t* size = dims ? find_int((*dims)[static_cast<size_t>(s.axis)]) : nullptr;
  if (s.step < 0 && begin && size && *size > 0 && *begin < -*size) s.begin = int_imm(-*size);
}

Expr slice_of(const NodeContext& n, std::vector<AxisSlice> slices) {
  Expr x = n.tensor(0);
  for (AxisSlice& s : slices) {
    if (s.step == 0) n.fail("step values must be non-zero, got 0");
    begin_backwards_in_bounds(s, dims_of(x));
    if (s.step < -kFar || s.step > kFar) s.step = s.step < 0 ? -kFar : kFar;
    if (!goes_all_the_way_back(s)) continue;
    x = n.call("flip", {x}, {{"axis", s.axis}});
    s = {.axis = s.axis, .begin = int_imm(0), .end = int_imm(kFar), .step = -s.step};
  }
  return sliced(n.builder, x, slices, n.span);
}

std::vector<AxisSlice> slices_of(const NodeContext& n, const std::vector<Scalar>& begins,
                                 const std::vector<Scalar>& ends, std::vector<int64_t> axes,
                                 const std::vector<int64_t>& steps) {
  if (axes.empty()) axes = axes_between(0, static_cast<int64_t>(begins.size()));
  if (begins.size() != ends.size() || begins.size() != axes.size() || (!steps.empty() && steps.size() != begins.size()))
    n.fail(fmt::format("{} starts, {} ends and {} axes", begins.size(), ends.size(), axes.size()));
  std::vector<AxisSlice> slices;
  for (size_t i = 0; i < axes.size(); ++i)
    slices.push_back({.axis = axis_of(n, axes[i], n.rank(0)),
                      .begin = begins[i],
                      .end = ends[i],
                      .step = steps.empty() ? 1 : steps[i]});
  return slices;
}

std::vector<Scalar> scalars(const std::vector<int64_t>& numbers) {
  std::vector<Scalar> out;
  for (int64_t i : numbers) out.push_back(int_imm(i));
  return out;
}

Results slice_by_attributes(const NodeContext& n) {
  const std::vector<int64_t> none;
  return slice_of(n, slices_of(n, scalars(n.ints_attr("starts").value_or(none)),
                               scalars(n.ints_attr("ends").value_or(none)), n.ints_attr("axes").value_or(none), {}));
}

Expr int64_input(const NodeContext& n, size_t i) { return converted(n.builder, n.tensor(i), DType::int_(64), n.span); }

/// Returns an int64 vector with an element for each axis: those of input `i` at the axes that are sliced, else `other`.
Expr bounds_of_axes(const NodeContext& n, size_t i, const std::vector<int64_t>& axes, std::vector<Scalar> other) {
  const Expr given = int64_input(n, i);
  std::vector<Expr> parts;
  for (size_t k = 0; k < other.size(); ++k) {
    const auto at = std::ranges::find(axes, static_cast<int64_t>(k));
    if (at == axes.end()) {
      parts.push_back(tensor_of(n.builder, {other[k]}, true, n.span));
      continue;
    }
    const int64_t place = at - axes.begin();
    parts.push_back(
        sliced(n.builder, given, {{.axis = 0, .begin = int_imm(place), .end = int_imm(place + 1)}}, n.span));
  }
  return joined(n, std::move(parts), 0);
}

/// A slice of known axes by bounds or steps that only a run knows.
Expr slice_by_data(const NodeContext& n, const std::vector<int64_t>& axes) {
  const std::vector<Scalar>& dims = n.dims(0);
  const std::vector<Scalar> zeros(dims.size(), int_imm(0)), ones(dims.size(), int_imm(1));
  std::vector<Scalar> sizes = dims;
  for (int64_t axis : axes) sizes[static_cast<size_t>(axis)] = nullptr;
  const Expr steps = n.has_input(4) ? bounds_of_axes(n, 4, axes, ones) : tensor_of(n.builder, ones, true, n.span);
  return n.builder.sized(
      n.builder.call("dynamic_strided_slice",
                     {n.tensor(0), bounds_of_axes(n, 1, axes, zeros), bounds_of_axes(n, 2, axes, dims), steps}, {},
                     n.span),
      std::move(sizes));
}

/// A slice of axes that only a run knows: their bounds and steps take the places of those that keep an axis whole.
Expr slice_of_axes_by_data(const NodeContext& n) {
  const std::vector<Scalar>& dims = n.dims(0);
  const auto rank = static_cast<int64_t>(dims.size());
  const Expr given = int64_input(n, 3);
  const Expr axes = chosen(n, binary(n, "less", given, 0), binary(n, "add", given, static_cast<double>(rank)), given);
  const auto with_given = [&](size_t i, const std::vector<Scalar>& whole) {
    const Expr all = tensor_of(n.builder, whole, true, n.span);
    return n.has_input(i) ? n.call("scatter_elements", {all, axes, int64_input(n, i)}) : all;
  };
  const Expr begins = with_given(1, std::vector<Scalar>(dims.size(), int_imm(0))), ends = with_given(2, dims),
             steps = with_given(4, std::vector<Scalar>(dims.size(), int_imm(1)));
  return n.builder.sized(n.builder.call("dynamic_strided_slice", {n.tensor(0), begins, ends, steps}, {}, n.span),
                         std::vector<Scalar>(dims.size(), nullptr));
}

/// Returns how many axes a slice by data has: the common length of the vectors, which must be known.
int64_t count_of_bounds(const NodeContext& n) {
  constexpr const char* kNames[] = {"", "starts", "ends", "axes", "steps"};
  std::optional<int64_t> count;
  for (size_t i = 1; i < std::size(kNames); ++i) {
    if (i > 2 && !n.has_input(i)) continue;  // starts and ends are no options
    const std::vector<Scalar>* dims = dims_of(n.tensor(i));
    if (!dims || dims->size() != 1 || !find_int((*dims)[0]))
      throw UnsupportedUse{fmt::format("with an unknown number of {}", kNames[i])};
    const int64_t own = *find_int((*dims)[0]);
    if (own != count.value_or(own))
      n.fail(fmt::format("expected starts and {} to have the same length, got {} and {}", kNames[i], *count, own));
    count = own;
  }
  if (*count > n.rank(0)) n.fail(fmt::format("{} bounds for rank {}", *count, n.rank(0)));
  return *count;
}

Results slice_by_inputs(const NodeContext& n) {
  const auto is_known = [&](size_t i) { return !n.has_input(i) || n.builder.elements(n.tensor(i)); };
  if (is_known(1) && is_known(2) && is_known(3) && is_known(4)) {
    std::vector<int64_t> axes, steps;
    if (n.has_input(3)) axes = n.ints(3, "axes");
    if (n.has_input(4)) steps = n.ints(4, "steps");
    return slice_of(n, slices_of(n, n.elements(1, "starts"), n.elements(2, "ends"), axes, steps));
  }
  const int64_t count = count_of_bounds(n);
  if (!is_known(3)) return slice_of_axes_by_data(n);
  std::vector<int64_t> axes = n.has_input(3) ? n.ints(3, "axes") : axes_between(0, count);
  for (int64_t& a : axes) a = axis_of(n, a, n.rank(0));
  return slice_by_data(n, axes);
}

/// The parts of an axis by their sizes, which may be symbolic.
Results parts_of_sizes(const NodeContext& n, int64_t axis, const std::vector<Scalar>& sizes) {
  std::vector<int64_t> ends;
  Scalar end = int_imm(0);
  std::vector<Expr> parts;
  const int64_t* whole = find_int(n.dims(0).at(static_cast<size_t>(axis)));
  for (const Scalar& size : sizes) {
    if (const int64_t* s = find_int(size); s && (*s < 0 || (whole && *s > *whole)))
      n.fail(fmt::format("a part of {} of an axis of size {}", *s, describe(n.dims(0).at(static_cast<size_t>(axis)))));
    const Scalar begin = end;
    end = bounded(n.builder.simplify(begin + size));
    if (find_int(end)) ends.push_back(*find_int(end));
    parts.push_back(sliced(n.builder, n.tensor(0), {{.axis = axis, .begin = begin, .end = end}}, n.span));
  }
  if (ends.size() < sizes.size() || sizes.size() < 2) return Results(std::move(parts));
  ends.pop_back();
  const Expr split = n.call("split", {n.tensor(0)}, {{"indices_or_sections", AttrValue::ints(ends)}, {"axis", axis}});
  return n.fields(split, sizes.size());
}

/// Equal parts, of which the last ones may be smaller.
Results equal_parts(const NodeContext& n, int64_t axis, int64_t count) {
  if (count < 1) n.fail(fmt::format("{} parts", count));
  if (count > kMaxParts) throw UnsupportedUse{fmt::format("into more than {} parts", kMaxParts)};
  if (count == 1) return n.tensor(0);
  const Scalar& size = n.dims(0).at(static_cast<size_t>(axis));
  if (!find_int(size))
    return n.fields(n.call("split", {n.tensor(0)}, {{"indices_or_sections", count}, {"axis", axis}}),
                    static_cast<size_t>(count));
  const int64_t part = *find_int(size) / count + (*find_int(size) % count != 0);
  int64_t rest = *find_int(size);
  std::vector<Scalar> sizes;
  for (int64_t i = 0; i < count; ++i, rest -= std::min(part, rest)) sizes.push_back(int_imm(std::min(part, rest)));
  return parts_of_sizes(n, axis, sizes);
}

Results split(const NodeContext& n) {
  const int64_t axis = axis_of(n, n.int_attr("axis", 0), n.rank(0));
  if (n.has_input(1)) return parts_of_sizes(n, axis, n.sizes(1));
  if (const auto sizes = n.ints_attr("split"); sizes && !sizes->empty())
    return parts_of_sizes(n, axis, scalars(*sizes));
  return equal_parts(n, axis, n.int_attr("num_outputs", static_cast<int64_t>(n.node.outputs.size())));
}

}  // namespace

std::vector<Converter> slice_converters() {
  return {{"Slice", 1, slice_by_attributes, "`R.strided_slice`"},
          {"Slice", 10, slice_by_inputs,
           "`R.strided_slice`, `R.flip`; with bounds that depend on data `R.dynamic_strided_slice`",
           "the number of axes must be known"},
          {"Split", 2, split, "`R.split`; with symbolic sizes `R.strided_slice`"}};
}

}  // namespace sunmao::onnx
