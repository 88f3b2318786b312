// Ops whose result's size depends on the elements.
#include "ops/lowering.h"
#include "ops/ops.h"

namespace sunmao {
namespace {

Type infer_unique(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  bool flat = in.attr("axis").is_none();
  if (!flat && x.rank != kUnknownRank) in.normalize_axis(in.int_attr("axis"), x.rank);  // C1
  std::vector<Type> fields{TensorType::make_unknown(x.dtype, flat ? 1 : x.rank, x.vdevice)};
  for (const char* extra : {"return_index", "return_inverse", "return_counts"})
    if (in.bool_attr(extra)) fields.push_back(TensorType::make_unknown(DType::int_(64), 1, x.vdevice));
  return fields.size() == 1 ? fields[0] : TupleType::make(std::move(fields));
}

Type infer_nonzero(const InferInput& in) { return TensorType::make_unknown(DType::int_(64), 2, in.tensor(0).vdevice); }

}  // namespace

void register_set_ops(OpTable& ops) {
  ops.add({.name = "unique",
           .summary = "Each different element once; on request with places, the way back, and counts.",
           .params = {{"x", "tensor"},
                      bool_param("sorted", "in order; else as they first occur", true),
                      bool_param("return_index", "where each first occurs", false),
                      bool_param("return_inverse", "which one stands at each place of x", false),
                      bool_param("return_counts", "how often each occurs", false),
                      int_param("axis", "slices along this axis instead of elements (C1)", AttrValue())},
           .constraints = {"C1: axis is in [-rank, rank - 1]"},
           .infer = infer_unique});
  ops.add({.name = "nonzero",
           .summary = "The places of the elements that are not 0: (rank, count).",
           .params = {{"x", "tensor"}},
           .infer = infer_nonzero});
}

}  // namespace sunmao
