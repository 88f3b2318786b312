// Converters that order elements anew: Transpose, DepthToSpace, SpaceToDepth, ReverseSequence, Trilu.
#include "frontend/onnx/compose.h"

namespace sunmao::onnx {
namespace {

Results transpose(const NodeContext& n) {
  std::vector<int64_t> perm = n.ints_attr("perm").value_or(std::vector<int64_t>{});
  if (perm.empty())
    for (int64_t i = n.rank(0); i-- > 0;) perm.push_back(i);
  return permuted(n.builder, n.tensor(0), perm, n.span);
}

/// The axes of an image, and the size of the blocks that its pixels are moved in.
struct Blocks {
  Scalar batch, channels, height, width, size;
  bool channel_is_first;  // the mode CRD: a block of depth holds one channel
};

Blocks blocks_of(const NodeContext& n) {
  const std::vector<Scalar>& dims = n.dims(0);
  const int64_t size = n.int_attr("blocksize", 0);
  const std::string mode = n.string_attr("mode", "DCR");
  if (dims.size() != 4) n.fail(fmt::format("the input must have rank 4, got {}", dims.size()));
  if (size < 1) n.fail(fmt::format("`blocksize` cannot be {}", size));
  if (mode != "DCR" && mode != "CRD") n.fail("`mode` is neither \"DCR\" nor \"CRD\"");
  return {dims.at(0), dims.at(1), dims.at(2), dims.at(3), int_imm(size), mode == "CRD"};
}

Results depth_to_space(const NodeContext& n) {
  const Blocks b = blocks_of(n);
  const Scalar channels = floor_div(b.channels, b.size * b.size);
  std::vector<Scalar> apart{b.batch, b.size, b.size, channels, b.height, b.width};
  if (b.channel_is_first) apart = {b.batch, channels, b.size, b.size, b.height, b.width};
  const std::vector<int64_t> order =
      b.channel_is_first ? std::vector<int64_t>{0, 1, 4, 2, 5, 3} : std::vector<int64_t>{0, 3, 4, 1, 5, 2};
  std::vector<Scalar> result{b.batch, channels, b.height * b.size, b.width * b.size};
  for (std::vector<Scalar>* dims : {&apart, &result})
    for (Scalar& d : *dims) d = n.builder.simplify(d);
  return reshaped(n.builder, permuted(n.builder, reshaped(n.builder, n.tensor(0), apart, n.span), order, n.span),
                  result, n.span);
}

Results space_to_depth(const NodeContext& n) {
  const Blocks b = blocks_of(n);
  const Scalar height = floor_div(b.height, b.size), width = floor_div(b.width, b.size);
  std::vector<Scalar> apart{b.batch, b.channels, height, b.size, width, b.size};
  const std::vector<int64_t> order =
      b.channel_is_first ? std::vector<int64_t>{0, 1, 3, 5, 2, 4} : std::vector<int64_t>{0, 3, 5, 1, 2, 4};
  std::vector<Scalar> result{b.batch, b.channels * b.size * b.size, height, width};
  for (std::vector<Scalar>* dims : {&apart, &result})
    for (Scalar& d : *dims) d = n.builder.simplify(d);
  return reshaped(n.builder, permuted(n.builder, reshaped(n.builder, n.tensor(0), apart, n.span), order, n.span),
                  result, n.span);
}

Results reverse_sequence(const NodeContext& n) {
  return n.call("reverse_sequence", {n.tensor(0), n.tensor(1)},
                {{"seq_axis", n.int_attr("time_axis", 0)}, {"batch_axis", n.int_attr("batch_axis", 1)}});
}

/// A diagonal that only a run knows: each element is kept or not by the distance of its column from its row.
Results triangle_at_run_time(const NodeContext& n, bool keeps_upper) {
  const std::vector<Scalar>& dims = n.dims(0);
  const auto rank = static_cast<int64_t>(dims.size());
  if (rank < 2) n.fail(fmt::format("the input must have rank 2 or more, got {}", rank));
  const DType int64 = DType::int_(64);
  const auto row = static_cast<size_t>(rank - 2), column = static_cast<size_t>(rank - 1);
  const Expr distance = binary(n, "subtract", places_along(n, dims[column], int64, rank - 1, rank),
                               places_along(n, dims[row], int64, rank - 2, rank));
  const Expr diagonal = reshaped(n.builder, n.tensor(1), {}, n.span);
  const Expr is_kept = binary(n, keeps_upper ? "greater_equal" : "less_equal", distance, diagonal);
  return chosen(n, is_kept, n.tensor(0), n.constant(dtype_of(n.tensor(0)), 0));
}

Results trilu(const NodeContext& n) {
  const bool keeps_upper = n.int_attr("upper", 1) != 0;
  Scalar diagonal = int_imm(0);
  if (n.has_input(1)) {
    if (!n.builder.elements(n.tensor(1))) return triangle_at_run_time(n, keeps_upper);
    const std::vector<Scalar> given = n.elements(1, "diagonals");
    if (given.size() != 1) n.fail(fmt::format("`k` holds {} numbers, expected one", given.size()));
    diagonal = given[0];
  }
  return n.call(keeps_upper ? "triu" : "tril", {n.tensor(0), scalar_operand(diagonal)});
}

}  // namespace

std::vector<Converter> layout_converters() {
  return {{"Transpose", 1, transpose, "`R.permute_dims`"},
          {"DepthToSpace", 1, depth_to_space, "`R.reshape`, `R.permute_dims`"},
          {"SpaceToDepth", 1, space_to_depth, "`R.reshape`, `R.permute_dims`"},
          {"ReverseSequence", 10, reverse_sequence, "`R.reverse_sequence`"},
          {"Trilu", 14, trilu, "`R.triu`, `R.tril`; by a diagonal that depends on data `R.where`"}};
}

}  // namespace sunmao::onnx
