// Samples of norms.
#include <algorithm>

#include "ops/samples/samples.h"

namespace sunmao {
namespace {

template <bool kRootMeanSquare>
OpSample layer_norm(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .size = Sizes::Whole});
  const int64_t inner = s.between(1, std::min<int64_t>(2, sampled_rank(x)));
  const Dims scale(sampled_dims(x).end() - inner, sampled_dims(x).end());
  std::vector<int64_t> axes;
  for (int64_t i = -inner; i < 0; ++i) axes.push_back(i);
  std::vector<Expr> args{x, s.beside(x, scale)};
  if (!kRootMeanSquare) args.push_back(s.beside(x, scale));
  return {std::move(args), {{"axes", AttrValue::ints(axes)}, {"epsilon", s.chance(50) ? 1e-5 : 0.125}}};
}

OpSample batch_norm(Sampler& s) {
  Expr x = s.image(2);
  const Dims channels{sampled_dims(x)[1]};
  return {
      {x, s.beside(x, channels), s.beside(x, channels), s.beside(x, channels), s.beside(x, channels, Values::Positive)},
      {{"axis", 1}, {"training", s.chance(30)}}};
}

OpSample group_norm(Sampler& s) {
  Expr x = s.image(2);
  const Dims channels{sampled_dims(x)[1]};
  return {{x, s.beside(x, channels), s.beside(x, channels)},
          {{"num_groups", 2}, {"channel_axis", 1}, {"axes", AttrValue::ints({2, 3})}}};
}

OpSample instance_norm(Sampler& s) {
  OpSample sample = group_norm(s);
  sample.attrs.erase("num_groups");
  return sample;
}

}  // namespace

void add_norm_samples(SampleTable& t) {
  t["nn.layer_norm"] = layer_norm<false>;
  t["nn.rms_norm"] = layer_norm<true>;
  t["nn.batch_norm"] = batch_norm;
  t["nn.group_norm"] = group_norm;
  t["nn.instance_norm"] = instance_norm;
}

}  // namespace sunmao
