// Samples of ops whose results are as large as the data says.
#include "ops/samples/samples.h"

namespace sunmao {
namespace {

using Kind = TensorWish::Kind;

OpSample unique(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .max_rank = 3});
  OpSample sample{{x}, {{"sorted", s.chance(70)}}};
  for (const char* name : {"return_index", "return_inverse", "return_counts"}) sample.attrs[name] = s.chance(40);
  if (s.chance(40)) sample.attrs["axis"] = s.axis(sampled_rank(x));
  return sample;
}

OpSample nonzero(Sampler& s) { return {{s.tensor({.kind = s.chance(30) ? Kind::Boolean : Kind::Number})}}; }

}  // namespace

void add_set_samples(SampleTable& t) {
  t["unique"] = unique;
  t["nonzero"] = nonzero;
}

}  // namespace sunmao
