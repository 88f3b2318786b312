// Samples of the backward halves of ops, made of those of the ops.
#include "ops/samples/samples.h"

#include "ops/ops.h"

namespace sunmao {
namespace {

// A gradient as large as what the op gives.
Expr gradient_of(Sampler& s, const char* op, const OpSample& sample) {
  Expr call = Call::make(builtin_ops().get(op), sample.args, Attrs(sample.attrs));
  return s.beside(sample.args[0], sampled_dims(call));
}

template <const char* const& kForward>
OpSample backward(Sampler& s) {
  OpSample sample = sample_of(kForward)(s);
  sample.args.insert(sample.args.begin(), gradient_of(s, kForward, sample));
  return sample;
}

constexpr const char* kLoss = "nn.nll_loss";
constexpr const char* kMaxPool = "nn.max_pool2d";
constexpr const char* kAvgPool = "nn.avg_pool2d";

OpSample taken(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .max_rank = 3, .size = Sizes::Some});
  const int64_t axis = s.axis(sampled_rank(x)), size = s.size_along(axis, x);
  OpSample sample{{x, s.places(s.dims(0, 2), size, -size)}, {{"axis", axis}}};
  sample.args.insert(sample.args.begin(), gradient_of(s, "take", sample));
  return sample;
}

}  // namespace

void add_gradient_samples(SampleTable& t) {
  t["grad.nll_loss_backward"] = backward<kLoss>;
  t["grad.max_pool2d_backward"] = backward<kMaxPool>;
  t["grad.avg_pool2d_backward"] = backward<kAvgPool>;
  t["grad.take_backward"] = taken;
}

}  // namespace sunmao
