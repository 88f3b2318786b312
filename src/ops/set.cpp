// The ops unique and nonzero, whose result sizes depend on the data.
#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/sampler.h"

namespace sunmao {
namespace {

Type infer_unique(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  bool flat = in.attr("axis").is_none();
  if (!flat && x.rank != kUnknownRank) in.normalize_axis(in.int_attr("axis"), x.rank);  // C1
  // Returns the type of a vector of unknown length; of length 1 if `x` is a scalar, which counts as one element.
  auto vector_of = [&](DType dtype) {
    return x.rank == 0 ? TensorType::make({int_imm(1)}, dtype, x.vdevice)
                       : TensorType::make_unknown(dtype, 1, x.vdevice);
  };
  std::vector<Type> fields{flat ? vector_of(x.dtype) : TensorType::make_unknown(x.dtype, x.rank, x.vdevice)};
  for (const char* extra : {"return_index", "return_inverse", "return_counts"})
    if (in.bool_attr(extra)) fields.push_back(vector_of(DType::int_(64)));
  return fields.size() == 1 ? fields[0] : TupleType::make(std::move(fields));
}

Type infer_nonzero(const InferInput& in) { return TensorType::make_unknown(DType::int_(64), 2, in.tensor(0).vdevice); }

using Kind = TensorWish::Kind;

OpSample sample_unique(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .max_rank = 3});
  OpSample sample{{x}, {{"sorted", s.chance(70)}}};
  for (const char* name : {"return_index", "return_inverse", "return_counts"}) sample.attrs[name] = s.chance(40);
  if (s.chance(40)) sample.attrs["axis"] = s.axis(sampled_rank(x));
  return sample;
}

OpSample sample_nonzero(Sampler& s) { return {{s.tensor({.kind = s.chance(30) ? Kind::Boolean : Kind::Number})}}; }

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
           .infer = infer_unique,
           .sample = sample_unique});
  ops.add({.name = "nonzero",
           .summary = "The places of the elements that are not 0: (rank, count).",
           .params = {{"x", "tensor"}},
           .infer = infer_nonzero,
           .sample = sample_nonzero});
}

}  // namespace sunmao
