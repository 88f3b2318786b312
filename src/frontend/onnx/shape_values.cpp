// Converters of Shape, and of ops that compute on shapes: Gather, Unsqueeze, Squeeze, Concat, Slice, Cast. They are
// evaluated symbolically during reading; only a Cast of data leaves a node in the graph.
#include <algorithm>

#include "frontend/onnx/node_context.h"
#include "frontend/onnx/tensors.h"
#include "frontend/shapes.h"

namespace sunmao::onnx {
namespace {

constexpr size_t kMaxElements = 1024;

int64_t size_of(const ShapeValue& s) { return static_cast<int64_t>(s.elements.size()); }

/// Returns `value`, counted from the end if negative, clamped to [low, high].
int64_t clamped(int64_t value, int64_t size, int64_t low, int64_t high) {
  return std::clamp(value < 0 ? value + size : value, low, high);
}

Value shape(const NodeContext& n) {
  ShapeValue s;
  const auto rank = static_cast<int64_t>(n.dims(0).size());
  const int64_t start = clamped(n.int_attr("start", 0), rank, 0, rank);
  const int64_t end = clamped(n.int_attr("end", rank), rank, 0, rank);
  for (int64_t i = start; i < end; ++i) s.elements.push_back(n.dims(0)[static_cast<size_t>(i)]);
  return of_shape(std::move(s));
}

Value gather(const NodeContext& n) {
  ShapeValue data = n.get_shape(0), index = n.get_shape(1);
  std::vector<int64_t> indices = n.constant_ints(1, "indices");
  if (!data.is_list) n.fail("a single number has nothing to gather from");
  ShapeValue out{.elements = {}, .is_list = index.is_list, .dtype = data.dtype};
  for (int64_t i : indices) {
    if (i < -size_of(data) || i >= size_of(data))
      n.fail(fmt::format("index {} is out of range for {} elements", i, size_of(data)));
    out.elements.push_back(data.elements[static_cast<size_t>(i < 0 ? i + size_of(data) : i)]);
  }
  return of_shape(std::move(out));
}

Value unsqueeze(const NodeContext& n) {
  ShapeValue s = n.get_shape(0);
  const auto axes = n.has_input(1) ? n.constant_ints(1, "axes") : n.ints_attr("axes").value_or(std::vector<int64_t>{});
  if (s.is_list || axes.size() != 1) throw UnsupportedUse{"of a shape into a matrix"};
  s.is_list = true;
  return of_shape(std::move(s));
}

Value squeeze(const NodeContext& n) {
  ShapeValue s = n.get_shape(0);
  if (size_of(s) != 1) n.fail(fmt::format("a shape of {} elements cannot be squeezed to one number", size_of(s)));
  s.is_list = false;
  return of_shape(std::move(s));
}

Value concat(const NodeContext& n) {
  ShapeValue out;
  for (size_t i = 0; i < n.node.inputs.size(); ++i) {
    ShapeValue part = n.get_shape(i);
    if (!part.is_list) n.fail(fmt::format("input {} is a single number, not a list", i));
    if (i == 0) out.dtype = part.dtype;
    out.elements.insert(out.elements.end(), part.elements.begin(), part.elements.end());
    if (out.elements.size() > kMaxElements) throw UnsupportedUse{"into a shape of more than 1024 elements"};
  }
  return of_shape(std::move(out));
}

Value slice(const NodeContext& n, const std::vector<int64_t>& starts, const std::vector<int64_t>& ends,
            const std::vector<int64_t>& axes, int64_t step) {
  ShapeValue data = n.get_shape(0);
  const bool is_first_axis = axes.empty() || (axes.size() == 1 && (axes[0] == 0 || axes[0] == -1));
  if (starts.size() != 1 || ends.size() != 1 || !is_first_axis || step == 0 || !data.is_list)
    n.fail("a shape is sliced along its one axis, with a step that is not 0");
  const int64_t size = size_of(data), low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  const int64_t end = clamped(ends[0], size, low, high);
  ShapeValue out{.elements = {}, .is_list = true, .dtype = data.dtype};
  for (int64_t i = clamped(starts[0], size, step > 0 ? 0 : -1, high); step > 0 ? i < end : i > end;) {
    out.elements.push_back(data.elements[static_cast<size_t>(i)]);
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  return of_shape(std::move(out));
}

Value slice_attributes(const NodeContext& n) {
  std::vector<int64_t> none;
  return slice(n, n.ints_attr("starts").value_or(none), n.ints_attr("ends").value_or(none),
               n.ints_attr("axes").value_or(none), 1);
}

Value slice_inputs(const NodeContext& n) {
  n.get_shape(0);  // reports unsupported slices of data first
  std::vector<int64_t> axes, steps{1};
  if (n.has_input(3)) axes = n.constant_ints(3, "axes");
  if (n.has_input(4)) steps = n.constant_ints(4, "steps");
  return slice(n, n.constant_ints(1, "starts"), n.constant_ints(2, "ends"), axes, steps.size() == 1 ? steps[0] : 0);
}

Value cast(const NodeContext& n) {
  const DType to = dtype_of_element(n.int_attr("to", 0));
  if (!n.is_computed_shape(0)) {
    if (dtype_of(n.tensor(0)) == to) return of_expr(n.tensor(0));
    if (to.is_void()) throw UnsupportedUse{"to " + name_of_element(n.int_attr("to", 0))};
    if (!n.builder.ops().find("astype")) throw UnsupportedUse{"of data that is no shape"};
    return of_expr(n.call("astype", {n.tensor(0)}, {{"dtype", to}}));
  }
  ShapeValue s = n.get_shape(0);
  if (!to.is_int() || to.bits < 32) throw UnsupportedUse{"of a shape to " + name_of_element(n.int_attr("to", 0))};
  s.dtype = to;
  return of_shape(std::move(s));
}

}  // namespace

std::vector<Converter> shape_converters() {
  return {{"Shape", 1, shape, {}},         {"Gather", 1, gather, {}}, {"Unsqueeze", 1, unsqueeze, {}},
          {"Squeeze", 1, squeeze, {}},     {"Concat", 4, concat, {}}, {"Slice", 1, slice_attributes, {}},
          {"Slice", 10, slice_inputs, {}}, {"Cast", 6, cast, {}}};
}

}  // namespace sunmao::onnx
