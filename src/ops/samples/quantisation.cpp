// Samples of quantisation.
#include "ops/samples/samples.h"

namespace sunmao {
namespace {

const std::vector<DType>& small_integers() {
  static const std::vector<DType> kAll{DType::int_(8), DType::uint(8), DType::int_(16)};
  return kAll;
}

// One scale for all, or one for each index of an axis.
OpSample quantized(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .dtype = DType::float_(32)});
  const int64_t axis = s.axis(sampled_rank(x));
  const Dims scales = s.chance(50) ? Dims{} : Dims{dim_along(axis, x)};
  const DType dtype = s.one_of(small_integers());
  return {{x, s.beside(x, scales, Values::Positive), s.tensor({.dims = scales, .dtype = dtype})},
          {{"out_dtype", dtype}, {"axis", axis}}};
}
OpSample dequantized(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .dtype = s.one_of(small_integers())});
  const int64_t axis = s.axis(sampled_rank(x));
  const Dims scales = s.chance(50) ? Dims{} : Dims{dim_along(axis, x)};
  return {{x, s.tensor({.dims = scales, .dtype = DType::float_(32), .values = Values::Positive}), s.beside(x, scales)},
          {{"out_dtype", DType::float_(32)}, {"axis", axis}}};
}

}  // namespace

void add_quantisation_samples(SampleTable& t) {
  t["quantize"] = quantized;
  t["dequantize"] = dequantized;
}

}  // namespace sunmao
