// Writers of ops that change shapes, join tensors and take parts of them.
#include <limits>
#include <numeric>

#include "frontend/onnx_writer/onnx_call.h"

namespace sunmao::onnx_writer {
namespace {

Values permuted(OnnxCall& c) {
  const int64_t rank = c.rank();
  std::vector<int64_t> axes(static_cast<size_t>(rank));
  std::iota(axes.rbegin(), axes.rend(), 0);
  if (const auto given = c.in.ints_attr("axes"))
    for (size_t i = 0; i < axes.size(); ++i) axes[i] = c.in.normalize_axis((*given)[i], static_cast<int>(rank));
  return {c.transposed(c.input(0), axes)};
}

Values shaped_as_result(OnnxCall& c) { return {c.reshaped(c.input(0), c.result_dims())}; }

Values with_new_axes(OnnxCall& c) { return {c.add("Unsqueeze", {c.input(0), c.ints(*c.in.ints_attr("axis"))})}; }

Values without_axes(OnnxCall& c) {
  std::vector<int64_t> axes;
  if (const auto given = c.in.ints_attr("axis")) {
    axes = *given;
  } else {
    const std::vector<Scalar>& dims = c.dims();
    for (size_t i = 0; i < dims.size(); ++i)
      if (const int64_t* size = find_int(dims[i]); size && *size == 1) axes.push_back(static_cast<int64_t>(i));
  }
  if (axes.empty()) return {c.add("Identity", {c.input(0)})};  // without axes ONNX drops all of size 1
  return {c.add("Squeeze", {c.input(0), c.ints(axes)})};
}

Values expanded(OnnxCall& c) { return {c.add("Expand", {c.input(0), c.vector(c.result_dims())})}; }

int64_t axis_or_first(const OnnxCall& c) {
  return c.in.attr("axis").is_none() ? 0 : c.axis("axis", c.result_type().rank);
}

Values concatenated(OnnxCall& c) {
  c.require_dtype(c.result_type().dtype, Dtypes::All);
  return {c.add("Concat", c.fields(0), {{"axis", axis_or_first(c)}})};
}

Values stacked(OnnxCall& c) {
  c.require_dtype(c.result_type().dtype, Dtypes::All);
  const int64_t axis = axis_or_first(c);
  Values parts;
  for (const std::string& part : c.fields(0)) parts.push_back(c.add("Unsqueeze", {part, c.ints({axis})}));
  return {c.add("Concat", parts, {{"axis", axis}})};
}

Values divided(OnnxCall& c) {
  const int64_t axis = c.axis("axis", c.rank());
  std::vector<Scalar> sizes;
  for (size_t i = 0; i < c.result_count(); ++i) {
    const std::vector<Scalar>* dims = c.result_type(i).dims();
    c.require(dims, "gives tensors of unknown shape");
    sizes.push_back((*dims)[static_cast<size_t>(axis)]);
  }
  if (sizes.empty()) c.refuse("gives no part");
  return c.add("Split", {c.input(0), c.vector(sizes)}, {{"axis", axis}}, sizes.size());
}

Values tiled(OnnxCall& c) {
  const std::vector<int64_t> given = *c.in.ints_attr("repeats");
  const auto rank = static_cast<size_t>(c.rank());
  std::string x = c.input(0);
  std::vector<int64_t> repeats(std::max(rank, given.size()), 1);
  std::ranges::copy_backward(given, repeats.end());
  if (given.size() > rank) {
    std::vector<int64_t> added(given.size() - rank);
    std::iota(added.begin(), added.end(), 0);
    x = c.add("Unsqueeze", {x, c.ints(added)});
  }
  return {c.add("Tile", {x, c.ints(repeats)})};
}

Values flipped(OnnxCall& c) {
  constexpr int64_t kBeforeFirst = std::numeric_limits<int64_t>::min();
  const int64_t axis = c.axis("axis", c.rank());
  return {c.add("Slice", {c.input(0), c.ints({-1}), c.ints({kBeforeFirst}), c.ints({axis}), c.ints({-1})})};
}

/// One of the axes is the first, the other the second in ONNX.
Values reversed(OnnxCall& c) {
  const int64_t time = c.axis("seq_axis", c.rank()), batch = c.axis("batch_axis", c.rank());
  c.require(time + batch == 1, "along other axes than the first two has no counterpart in ONNX");
  const std::string lengths = c.cast(c.input(1), c.dtype(1), DType::int_(64));
  return {c.add("ReverseSequence", {c.input(0), lengths}, {{"time_axis", time}, {"batch_axis", batch}})};
}

/// Returns number `i` of a tuple; null where it is none.
const int64_t* number_in(const Expr& tuple, size_t i) {
  const auto* fields = find<Tuple>(tuple);
  const auto* prim = fields ? find<PrimValue>(fields->fields[i]) : nullptr;
  return prim ? find_int(prim->value) : nullptr;
}

/// Backwards, ONNX begins at the first element where the begin lies before it; here the slice is empty.
void require_begins_inside(const OnnxCall& c) {
  const auto* axes = find<Tuple>(c.call.args[1]);
  for (size_t i = 0; axes && c.in.has(4) && i < axes->fields.size(); ++i) {
    const int64_t *stride = number_in(c.call.args[4], i), *begin = number_in(c.call.args[2], i);
    if (stride && *stride > 0) continue;
    const int64_t* axis = number_in(c.call.args[1], i);
    const auto place = [&] { return static_cast<size_t>(c.in.normalize_axis(*axis, static_cast<int>(c.rank()))); };
    const int64_t* size = axis ? find_int(c.dims()[place()]) : nullptr;
    c.require(stride && begin && (*begin >= -1 || (size && *begin >= -*size)),
              "backwards from a place that may lie before the first one has no counterpart in ONNX");
  }
}

Values sliced(OnnxCall& c) {
  require_begins_inside(c);
  Values inputs{c.input(0), c.shape_input(2), c.shape_input(3), c.shape_input(1)};
  if (c.in.has(4)) inputs.push_back(c.shape_input(4));
  return {c.add("Slice", inputs)};
}

Values sliced_by_data(OnnxCall& c) {
  const auto* strides = find<Constant>(c.call.args[3]);
  c.require(strides && std::ranges::all_of(strides->data.as<int64_t>(), [](int64_t s) { return s > 0; }),
            "by strides that are not known to be positive has no counterpart in ONNX");
  std::vector<int64_t> axes(static_cast<size_t>(c.rank()));
  std::iota(axes.begin(), axes.end(), 0);
  return {c.add("Slice", {c.input(0), c.input(1), c.input(2), c.ints(axes), c.input(3)})};
}

Values padded(OnnxCall& c) {
  const std::vector<int64_t> widths = *c.in.ints_attr("pad_width");
  std::vector<int64_t> pads;
  for (size_t end : {size_t{0}, size_t{1}})
    for (size_t i = end; i < widths.size(); i += 2) pads.push_back(widths[i]);
  const std::string mode = c.in.string_attr("pad_mode");
  const char* of_onnx = mode == "replicate" || mode == "edge" ? "edge" : mode == "circular" ? "wrap" : nullptr;
  Values inputs{c.input(0), c.ints(pads)};
  if (mode == "constant") inputs.push_back(c.number(c.dtype(), c.in.float_attr("pad_value")));
  return {c.add("Pad", inputs, {{"mode", of_onnx ? std::string(of_onnx) : mode}})};
}

/// (…, C r r, H, W) becomes (…, C, H r, W r).
Values shuffled(OnnxCall& c) {
  c.require(c.rank() == 4, "of a rank other than 4 has no counterpart in ONNX");
  return {c.add("DepthToSpace", {c.input(0)}, {{"blocksize", c.in.int_attr("upscale_factor")}, {"mode", "CRD"}})};
}

Values shape(OnnxCall& c) { return {c.add("Shape", {c.input(0)})}; }
Values size(OnnxCall& c) { return {c.add("Size", {c.input(0)})}; }
Values as_tensor(OnnxCall& c) { return {c.add("Identity", {c.shape_input(0)})}; }

}  // namespace

std::vector<Row> shape_rows() {
  return {{"broadcast_to", "Expand", expanded},
          {"concat", "Concat", concatenated},
          {"dynamic_strided_slice", "Slice", sliced_by_data},
          {"expand_dims", "Unsqueeze", with_new_axes},
          {"flatten", "Reshape", shaped_as_result},
          {"flip", "Slice", flipped},
          {"nn.batch_flatten", "Reshape", shaped_as_result},
          {"nn.pad", "Pad", padded},
          {"nn.pixel_shuffle", "DepthToSpace", shuffled},
          {"permute_dims", "Transpose", permuted},
          {"reshape", "Reshape", shaped_as_result},
          {"reverse_sequence", "ReverseSequence", reversed},
          {"shape_of", "Shape", shape},
          {"shape_to_tensor", "Identity", as_tensor},
          {"size", "Size", size},
          {"split", "Split", divided},
          {"squeeze", "Squeeze", without_axes},
          {"stack", "Unsqueeze, Concat", stacked},
          {"strided_slice", "Slice", sliced},
          {"tile", "Tile", tiled}};
}

}  // namespace sunmao::onnx_writer
