// Writers of ops that read and write at indices, and of those that search.
#include "frontend/onnx_writer/onnx_call.h"

namespace sunmao::onnx_writer {
namespace {

/// Indices of ONNX are of 32 or 64 bits, and those below 0 count from the end.
std::string indices(OnnxCall& c, size_t i) {
  if (const auto* scalar = find<PrimType>(c.call.args[i]->type))
    return c.cast(c.input(i), scalar->dtype, DType::int_(64));
  const DType dtype = c.dtype(i);
  c.require(dtype != DType::uint(64), "at indices of uint64 has no counterpart in ONNX");
  return dtype == DType::int_(32) ? c.input(i) : c.cast(c.input(i), dtype, DType::int_(64));
}

void require_from_end(const OnnxCall& c) {
  c.require(c.in.bool_attr("from_end"), "where an index below 0 is out of range has no counterpart in ONNX");
}

Values taken(OnnxCall& c) {
  c.require(c.in.string_attr("mode") == "fast", "with a `mode` has no counterpart in ONNX");
  require_from_end(c);
  const int64_t axis = c.in.attr("axis").is_none() ? 0 : c.axis("axis", c.rank());
  return {c.add("Gather", {c.input(0), indices(c, 1)}, {{"axis", axis}})};
}

Values gathered_elements(OnnxCall& c) {
  require_from_end(c);
  return {c.add("GatherElements", {c.input(0), indices(c, 1)}, {{"axis", c.axis("axis", c.rank())}})};
}

Values gathered(OnnxCall& c) {
  const std::string at = c.cast(c.input(1), c.dtype(1), DType::int_(64));
  return {c.add("GatherND", {c.input(0), at}, {{"batch_dims", c.in.int_attr("batch_dims")}})};
}

std::string reduction(const OnnxCall& c) {
  const std::string how = c.in.string_attr("reduction");
  if (how == "update" || how == "updates") return "none";
  c.require(how != "mean", "with the reduction \"mean\" has no counterpart in ONNX");
  c.require(0, Dtypes::Numbers);
  return how;
}

Values scattered_elements(OnnxCall& c) {
  require_from_end(c);
  return {c.add("ScatterElements", {c.input(0), indices(c, 1), c.input(2)},
                {{"axis", c.axis("axis", c.rank())}, {"reduction", reduction(c)}})};
}

Values scattered(OnnxCall& c) {
  const std::string at = c.cast(c.input(1), c.dtype(1), DType::int_(64));
  return {c.add("ScatterND", {c.input(0), at, c.input(2)}, {{"reduction", reduction(c)}})};
}

Values found(OnnxCall& c) {
  c.require(0, Dtypes::Numbers);
  const bool keeps = c.in.bool_attr("keepdims");
  if (!c.in.attr("axis").is_none())
    return {c.add(c.row.becomes, {c.input(0)}, {{"axis", c.axis("axis", c.rank())}, {"keepdims", keeps}})};
  const std::string flat = c.add("Reshape", {c.input(0), c.ints({-1})});
  const std::string place = c.add(c.row.becomes, {flat}, {{"axis", 0}, {"keepdims", false}});
  return {keeps ? c.reshaped(place, c.result_dims()) : place};
}

Values first_in_order(OnnxCall& c) {
  c.require(0, Dtypes::Numbers);
  const int64_t axis = c.axis("axis", c.rank()), k = c.in.int_attr("k");
  const std::string count = k > 0 ? c.ints({k}) : c.vector({c.dims()[static_cast<size_t>(axis)]});
  Values both = c.add("TopK", {c.input(0), count}, {{"axis", axis}, {"largest", c.in.bool_attr("largest")}}, 2);
  const std::string wanted = c.in.string_attr("ret_type");
  if (wanted == "values") return {both[0]};
  both[1] = c.cast(both[1], DType::int_(64), c.in.dtype_attr("dtype"));
  return wanted == "both" ? both : Values{both[1]};
}

}  // namespace

std::vector<Row> place_rows() {
  return {{"argmax", "ArgMax", found},
          {"argmin", "ArgMin", found},
          {"gather_elements", "GatherElements", gathered_elements},
          {"gather_nd", "GatherND", gathered},
          {"nonzero", "NonZero", as_one_node},
          {"scatter_elements", "ScatterElements", scattered_elements},
          {"scatter_nd", "ScatterND", scattered},
          {"take", "Gather", taken},
          {"topk", "TopK", first_in_order}};
}

}  // namespace sunmao::onnx_writer
