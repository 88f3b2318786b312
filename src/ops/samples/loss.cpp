// Samples of losses.
#include "ops/samples/samples.h"

namespace sunmao {
namespace {

OpSample cross_entropy(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .max_rank = 2, .size = Sizes::Whole});
  return {{x, s.like(x)}};
}

OpSample nll_loss(Sampler& s) {
  const int64_t batch = s.between(1, 3), classes = s.between(2, 4);
  Expr x = s.tensor({.dims = sizes({batch, classes}), .size = Sizes::Whole});
  static const std::vector<std::string> kReductions{"none", "sum", "mean"};
  return {{x, s.places(sizes({batch}), classes), s.beside(x, sizes({classes}), Values::Positive)},
          {{"reduction", s.one_of(kReductions)}}};
}

}  // namespace

void add_loss_samples(SampleTable& t) {
  t["nn.cross_entropy_with_logits"] = cross_entropy;
  t["nn.nll_loss"] = nll_loss;
}

}  // namespace sunmao
