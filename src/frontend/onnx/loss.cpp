// Converters of losses: NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss.
#include "frontend/onnx/compose.h"

namespace sunmao::onnx {
namespace {

Expr likelihood_loss(const NodeContext& n, const Expr& predictions) {
  constexpr int64_t kNone = -100;  // no target has this value
  std::vector<Expr> args{predictions, n.tensor(1)};
  if (n.has_input(2)) args.push_back(n.tensor(2));
  return n.call(
      "nn.nll_loss", std::move(args),
      {{"reduction", n.string_attr("reduction", "mean")}, {"ignore_index", n.int_attr("ignore_index", kNone)}});
}

Results negative_log_likelihood(const NodeContext& n) { return likelihood_loss(n, n.tensor(0)); }

Results softmax_cross_entropy(const NodeContext& n) {
  const Expr logs = n.call("nn.log_softmax", {n.tensor(0)}, {{"axis", 1}});
  return {likelihood_loss(n, logs), logs};
}

}  // namespace

std::vector<Converter> loss_converters() {
  return {{"NegativeLogLikelihoodLoss", 12, in_float32<negative_log_likelihood>, "`R.nn.nll_loss`"},
          {"SoftmaxCrossEntropyLoss", 12, in_float32<softmax_cross_entropy>, "`R.nn.nll_loss` of `R.nn.log_softmax`"}};
}

}  // namespace sunmao::onnx
