// Samples of ops that draw, or drop, at random.
#include "ops/samples/samples.h"

namespace sunmao {
namespace {

using Kind = TensorWish::Kind;

// Rows that sum to 1, in eighths.
Expr distributions(Sampler& s, int64_t rows, int64_t classes) {
  std::vector<float> values(static_cast<size_t>(rows * classes));
  for (size_t row = 0; row < static_cast<size_t>(rows); ++row)
    for (int share = 0; share < 8; ++share)
      values[row * static_cast<size_t>(classes) + s.below(static_cast<size_t>(classes))] += 0.125F;
  return Constant::make(Array::from_floats({rows, classes}, values));
}

OpSample drawn(Sampler& s) {
  const int64_t rows = s.between(1, 3), count = s.between(0, 5);
  Expr uniform = s.tensor({.dims = sizes({count, 1}), .dtype = DType::float_(32), .values = Values::Unit});
  return {{distributions(s, rows, s.between(1, 4)), uniform, s.places(sizes({count, 1}), rows)},
          {{"dtype", s.chance(50) ? DType::int_(32) : DType::int_(64)}}};
}

OpSample dropped(Sampler& s) { return {{s.tensor({.kind = Kind::Float})}, {{"rate", 0.25}}}; }

}  // namespace

void add_random_samples(SampleTable& t) {
  t["multinomial_from_uniform"] = drawn;
  t["nn.dropout"] = dropped;
}

}  // namespace sunmao
