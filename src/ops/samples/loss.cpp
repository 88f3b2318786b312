// Samples of losses.
#include "ops/samples/samples.h"

namespace sunmao {
namespace {

OpSample cross_entropy(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .max_rank = 2, .size = Sizes::Whole});
  return {{x, s.like(x)}};
}

// (N, C, …), or one row of classes; one class may not count.
OpSample nll_loss(Sampler& s) {
  static const std::vector<std::string> kReductions{"none", "sum", "mean"};
  const int64_t classes = s.between(2, 4);
  Dims targets = s.dims(0, 3, Sizes::Whole), predictions = targets;
  predictions.insert(predictions.begin() + (targets.empty() ? 0 : 1), int_imm(classes));
  Expr x = s.tensor({.dims = predictions});
  OpSample sample{{x, s.places(targets, classes)}, {{"reduction", s.one_of(kReductions)}}};
  if (s.chance(70)) sample.args.push_back(s.beside(x, sizes({classes}), Values::Positive));
  if (s.chance(40)) sample.attrs["ignore_index"] = s.between(0, classes - 1);
  return sample;
}

}  // namespace

void add_loss_samples(SampleTable& t) {
  t["nn.cross_entropy_with_logits"] = cross_entropy;
  t["nn.nll_loss"] = nll_loss;
}

}  // namespace sunmao
