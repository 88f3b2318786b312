// Samples of quantisation.
#include "ops/samples/samples.h"

namespace sunmao {
namespace {

OpSample quantized(Sampler& s) {
  // No integer stands for NaN.
  Expr x = s.tensor({.min_rank = 1, .dtype = DType::float_(32), .values = Values::Positive});
  const Dims none;
  return {{x, s.tensor({.dims = none, .dtype = DType::float_(32), .values = Values::Positive}),
           s.tensor({.dims = none, .dtype = DType::int_(8)})},
          {{"out_dtype", DType::int_(8)}}};
}

OpSample dequantized(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .dtype = DType::int_(8)});
  const Dims none;
  return {{x, s.tensor({.dims = none, .dtype = DType::float_(32), .values = Values::Positive}),
           s.tensor({.dims = none, .dtype = DType::int_(8)})},
          {{"out_dtype", DType::float_(32)}}};
}

}  // namespace

void add_quantisation_samples(SampleTable& t) {
  t["quantize"] = quantized;
  t["dequantize"] = dequantized;
}

}  // namespace sunmao
