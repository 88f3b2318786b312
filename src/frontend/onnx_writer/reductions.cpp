// Writers of ops along axes: reductions, scans, softmax.
#include <numeric>

#include "frontend/onnx_writer/onnx_call.h"

namespace sunmao::onnx_writer {
namespace {

Values reduced(OnnxCall& c) {
  std::vector<int64_t> axes;
  if (const auto given = c.in.ints_attr("axis")) {
    axes = *given;
  } else {
    axes.resize(static_cast<size_t>(c.rank()));
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (axes.empty()) return {c.add("Identity", {c.input(0)})};
  return {c.add(c.row.becomes, {c.input(0), c.ints(axes)}, {{"keepdims", c.in.bool_attr("keepdims")}})};
}

Values summed_up(OnnxCall& c) {
  const DType dtype = c.result_type().dtype;
  c.require_dtype(dtype, Dtypes::Words);
  std::string x = c.cast(c.input(0), c.dtype(), dtype);
  int64_t axis = 0;
  if (c.in.attr("axis").is_none())
    x = c.add("Reshape", {x, c.ints({-1})});
  else
    axis = c.axis("axis", c.rank());
  return {c.add("CumSum", {x, c.ints({axis})}, {{"exclusive", c.in.bool_attr("exclusive")}})};
}

Values along_axis(OnnxCall& c) { return {c.add(c.row.becomes, {c.input(0)}, {{"axis", c.axis("axis", c.rank())}})}; }

}  // namespace

std::vector<Row> reduction_rows() {
  using enum Dtypes;
  return {{"cumsum", "CumSum", summed_up},
          {"max", "ReduceMax", reduced, Words},
          {"mean", "ReduceMean", reduced, Floats},
          {"min", "ReduceMin", reduced, Words},
          {"nn.log_softmax", "LogSoftmax", along_axis, Floats},
          {"nn.softmax", "Softmax", along_axis, Floats},
          {"prod", "ReduceProd", reduced, Words},
          {"sum", "ReduceSum", reduced, Words}};
}

}  // namespace sunmao::onnx_writer
