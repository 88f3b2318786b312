// Converters of losses and similarities.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "frontend/shapes.h"
#include "frontend/torch/rows.h"
#include "frontend/torch/vector_norm.h"

namespace sunmao::torch {
namespace {

enum Reduction : int64_t { kNone, kMean, kSum };

Expr reduced(const NodeContext& n, const Expr& loss) {
  const int64_t reduction = n.integer("reduction", kMean);
  return reduction == kNone ? loss : n.call(reduction == kMean ? "mean" : "sum", {loss});
}

/// Elementwise arithmetic on floats.
class Arithmetic {
 public:
  Arithmetic(const NodeContext& n, DType dtype) : n_(n), dtype_(dtype) {}
  Expr number(double v) const { return n_.constant(dtype_, v); }
  Expr operator()(const char* op, std::vector<Expr> args) const { return n_.call(op, std::move(args)); }
  Expr times(const Expr& e, double factor) const { return scaled(n_.builder, e, factor, n_.span); }
  Expr at_least(const Expr& e, double low) const { return n_.call("maximum", {e, number(low)}); }
  Expr is_one(const Expr& e) const { return n_.call("equal", {e, number(1)}); }

 private:
  const NodeContext& n_;
  DType dtype_;
};

Results mse_loss(const NodeContext& n) {
  std::vector<Expr> x = promoted(n, {"self", "target"});
  Expr d = n.call("subtract", x);
  return reduced(n, n.call("multiply", {d, d}));
}
Results l1_loss(const NodeContext& n) {
  return reduced(n, n.call("abs", {n.call("subtract", promoted(n, {"self", "target"}))}));
}
/// Squares distances below `bend`; scales both parts so that they meet.
Expr bent(const NodeContext& n, double bend, bool divides_by_bend) {
  std::vector<Expr> x = promoted(n, {"self", "target"});
  const Arithmetic a(n, dtype_of(x[0]));
  Expr d = a("abs", {a("subtract", x)});
  Expr square = a.times(a("multiply", {d, d}), divides_by_bend ? 0.5 / bend : 0.5);
  Expr line = a("subtract", {d, a.number(bend / 2)});
  return reduced(n, a("where", {a("less", {d, a.number(bend)}), square, divides_by_bend ? line : a.times(line, bend)}));
}
Results smooth_l1_loss(const NodeContext& n) {
  const double beta = n.real("beta", 1.0);
  return beta == 0 ? l1_loss(n) : Results(bent(n, beta, true));
}
Results huber_loss(const NodeContext& n) { return bent(n, n.real("delta", 1.0), false); }

Expr weighted(const NodeContext& n, const Expr& loss) {
  return n.has("weight") ? n.call("multiply", {loss, n.tensor("weight")}) : loss;
}
/// PyTorch limits the logarithms to at least -100.
Results binary_cross_entropy(const NodeContext& n) {
  Expr x = n.tensor("self"), y = n.tensor("target");
  const Arithmetic a(n, dtype_of(x));
  Expr yes = a("multiply", {y, a.at_least(a("log", {x}), -100)});
  Expr no = a("multiply", {a("subtract", {a.number(1), y}), a.at_least(a("log1p", {a("negative", {x})}), -100)});
  return reduced(n, weighted(n, a("negative", {a("add", {yes, no})})));
}
/// (1 - y) x + (1 + (pos_weight - 1) y) log(1 + exp(-x))
Results binary_cross_entropy_with_logits(const NodeContext& n) {
  Expr x = n.tensor("self"), y = n.tensor("target");
  const Arithmetic a(n, dtype_of(x));
  Expr log = a("add", {a("log1p", {a("exp", {a("negative", {a("abs", {x})})})}), a.at_least(a("negative", {x}), 0)});
  if (n.has("pos_weight")) {
    Expr more = a("multiply", {a("subtract", {n.tensor("pos_weight"), a.number(1)}), y});
    log = a("multiply", {log, a("add", {more, a.number(1)})});
  }
  Expr no = a("multiply", {a("subtract", {a.number(1), y}), x});
  return reduced(n, weighted(n, a("add", {no, log})));
}

/// target * (log(target) - x), 0 where the target is 0; with `log_target` the logarithm is given.
Results kl_div(const NodeContext& n) {
  Expr x = n.tensor("self"), y = n.tensor("target");
  if (n.boolean("log_target", false))
    return reduced(n, n.call("multiply", {n.call("exp", {y}), n.call("subtract", {y, x})}));
  return reduced(n, n.call("subtract", {n.call("xlogy", {y, y}), n.call("multiply", {y, x})}));
}

Results poisson_nll_loss(const NodeContext& n) {
  Expr x = n.tensor("input"), y = n.tensor("target");
  const Arithmetic a(n, dtype_of(x));
  const double eps = n.real("eps");
  Expr loss = n.boolean("log_input") ? a("subtract", {a("exp", {x}), a("multiply", {y, x})})
                                     : a("subtract", {x, a("multiply", {y, a("log", {a("add", {x, a.number(eps)})})})});
  if (n.boolean("full")) {
    Expr stirling = a("subtract", {a("multiply", {y, a("log", {y})}), y});
    stirling = a("add", {stirling, a.times(a("log", {a.times(y, 2 * std::numbers::pi)}), 0.5)});
    loss = a("add", {loss, a("where", {a("less_equal", {y, a.number(1)}), a.number(0), stirling})});
  }
  return reduced(n, loss);
}
Results soft_margin_loss(const NodeContext& n) {
  Expr x = n.tensor("self");
  const Arithmetic a(n, dtype_of(x));
  return reduced(n, a("log1p", {a("exp", {a("negative", {a("multiply", {x, n.tensor("target")})})})}));
}
Results margin_ranking_loss(const NodeContext& n) {
  Expr x = n.tensor("input1");
  const Arithmetic a(n, dtype_of(x));
  Expr gap = a("multiply", {a("negative", {n.tensor("target")}), a("subtract", {x, n.tensor("input2")})});
  return reduced(n, a.at_least(a("add", {gap, a.number(n.real("margin", 0.0))}), 0));
}
/// x where the target is 1, max(margin - x, 0) where it is -1, their sum elsewhere.
Results hinge_embedding_loss(const NodeContext& n) {
  Expr x = n.tensor("self"), y = n.tensor("target");
  const Arithmetic a(n, dtype_of(x));
  Expr far = a.at_least(a("subtract", {a.number(n.real("margin", 1.0)), x}), 0);
  Expr zero = a.number(0);
  return reduced(
      n, a("add", {a("where", {a.is_one(y), zero, far}), a("where", {a("equal", {y, a.number(-1)}), zero, x})}));
}

/// The product of x1 / max(|x1|, eps) and x2 / max(|x2|, eps), summed along an axis.
Expr cosine(const NodeContext& n, const Expr& x1, const Expr& x2, int64_t axis, double eps) {
  const AttrValue axes = AttrValue::ints({axis});
  const Arithmetic a(n, dtype_of(x1));
  const auto direction = [&](const Expr& e) {
    return a("divide", {e, a.at_least(vector_norm(n, e, 2, {{"axis", axes}, {"keepdims", true}}), eps)});
  };
  return n.call("sum", {a("multiply", {direction(x1), direction(x2)})}, {{"axis", axes}});
}
Results cosine_similarity(const NodeContext& n) {
  std::vector<Expr> x = promoted_to_float(n, {"x1", "x2"});
  const Expr both = n.call("multiply", x);
  for (Expr& e : x) e = broadcast(n.builder, e, n.dims(both), n.span);
  return cosine(n, x[0], x[1], n.integer("dim", 1), n.real("eps", 1e-8));
}
Results cosine_embedding_loss(const NodeContext& n) {
  Expr x1 = n.tensor("input1"), y = n.tensor("target");
  const Arithmetic a(n, dtype_of(x1));
  y = converted(n.builder, y, dtype_of(x1), n.span);
  constexpr double kEpsilon = 1e-12;  // added to the squares
  const AttrMap along{{"axis", AttrValue::ints({-1})}};
  auto dot = [&](const Expr& p, const Expr& q) { return n.call("sum", {a("multiply", {p, q})}, along); };
  Expr x2 = n.tensor("input2");
  Expr lengths =
      a("multiply", {a("add", {dot(x1, x1), a.number(kEpsilon)}), a("add", {dot(x2, x2), a.number(kEpsilon)})});
  Expr similarity = a("divide", {dot(x1, x2), a("sqrt", {lengths})});
  Expr near = a("subtract", {a.number(1), similarity});
  Expr far = a.at_least(a("subtract", {similarity, a.number(n.real("margin", 0.0))}), 0);
  Expr other = a("where", {a("equal", {y, a.number(-1)}), far, a.number(0)});
  return reduced(n, a("where", {a.is_one(y), near, other}));
}

Expr distance(const NodeContext& n, const Expr& x, const Expr& y, double p, double eps, bool keeps_axis) {
  Expr d = n.call("add", {n.call("subtract", {x, y}), n.constant(dtype_of(x), eps)});
  return vector_norm(n, d, p, {{"axis", AttrValue::ints({-1})}, {"keepdims", keeps_axis}});
}
Results pairwise_distance(const NodeContext& n) {
  std::vector<Expr> x = promoted_to_float(n, {"x1", "x2"});
  return distance(n, x[0], x[1], n.real("p", 2.0), n.real("eps", 1e-6), n.boolean("keepdim", false));
}
Results triplet_margin_loss(const NodeContext& n) {
  Expr anchor = n.tensor("anchor"), positive = n.tensor("positive"), negative = n.tensor("negative");
  const double p = n.real("p", 2.0), eps = n.real("eps", 1e-6);
  Expr near = distance(n, anchor, positive, p, eps, false), far = distance(n, anchor, negative, p, eps, false);
  if (n.boolean("swap", false)) far = n.call("minimum", {far, distance(n, positive, negative, p, eps, false)});
  const Arithmetic a(n, dtype_of(near));
  return reduced(n, a.at_least(a("add", {a("subtract", {near, far}), a.number(n.real("margin", 1.0))}), 0));
}

const char* word_of(int64_t reduction) { return reduction == kNone ? "none" : reduction == kMean ? "mean" : "sum"; }
/// Converts the loss of log-probabilities; the second output, the total weight, serves the gradient.
Expr nll_of(const NodeContext& n, const Expr& logs, int64_t reduction) {
  std::vector<Expr> args{logs, n.tensor("target")};
  if (n.has("weight")) args.push_back(n.tensor("weight"));
  return n.call("nn.nll_loss", std::move(args),
                {{"reduction", word_of(reduction)}, {"ignore_index", n.integer("ignore_index", -100)}});
}
Results nll_loss(const NodeContext& n) { return nll_of(n, n.tensor("self"), n.integer("reduction", kMean)); }

/// Returns `terms`, one for each class along `axis`, times the weights of the classes.
Expr times_class_weights(const NodeContext& n, const Expr& terms, int64_t axis) {
  if (!n.has("weight")) return terms;
  std::vector<Scalar> shape(n.dims(terms).size(), int_imm(1));
  shape[static_cast<size_t>(axis)] = n.dims(terms).at(static_cast<size_t>(axis));
  return n.call("multiply", {terms, reshaped(n.builder, n.tensor("weight"), shape, n.span)});
}

/// Returns where the target is ignored.
Expr ignored(const NodeContext& n) {
  Expr target = n.tensor("target");
  return n.call("equal", {target, n.constant(dtype_of(target), static_cast<double>(n.integer("ignore_index", -100)))});
}

/// Returns the weighted sum of -log(p) over classes, 0 where the target is ignored.
Expr uniform_loss(const NodeContext& n, const Expr& logs, int64_t axis) {
  Expr terms = times_class_weights(n, logs, axis);
  Expr sums = n.call("negative", {n.call("sum", {terms}, {{"axis", AttrValue::ints({axis})}})});
  return n.call("where", {ignored(n), n.constant(dtype_of(logs), 0), sums});
}

/// Returns what a mean divides by: the sum of the weights of the targets that count.
Expr counted_weight(const NodeContext& n, const Expr& logs) {
  const Expr skipped = ignored(n), one = n.constant(dtype_of(logs), 1), zero = n.constant(dtype_of(logs), 0);
  if (!n.has("weight")) return n.call("sum", {n.call("where", {skipped, zero, one})});
  Expr target = n.tensor("target");
  Expr known = n.call("where", {skipped, n.constant(dtype_of(target), 0), target});
  Expr weights = n.call("take", {n.tensor("weight"), known}, {{"axis", 0}});
  return n.call("sum", {n.call("where", {skipped, zero, weights})});
}

/// Returns the cross entropy with classes, of which the target gets 1 - smoothing and all share the rest.
Expr smoothed_loss(const NodeContext& n, const Expr& logs, int64_t axis, double smoothing) {
  const Arithmetic a(n, dtype_of(logs));
  Expr classes =
      converted(n.builder, sunmao::tensor_of(n.builder, {n.dims(logs).at(static_cast<size_t>(axis))}, false, n.span),
                dtype_of(logs), n.span);
  Expr shared = a("divide", {a.times(uniform_loss(n, logs, axis), smoothing), classes});
  const int64_t reduction = n.integer("reduction", kMean);
  Expr hit = a.times(nll_of(n, logs, reduction), 1 - smoothing);
  if (reduction == kNone) return a("add", {hit, shared});
  shared = a("sum", {shared});
  if (reduction == kMean) shared = a("divide", {shared, counted_weight(n, logs)});
  return a("add", {hit, shared});
}

/// Returns the cross entropy with a target that holds a probability for each class.
Expr probability_loss(const NodeContext& n, const Expr& logs, int64_t axis, double smoothing) {
  const Arithmetic a(n, dtype_of(logs));
  Expr target = n.tensor("target");
  const Scalar& classes = n.dims(logs).at(static_cast<size_t>(axis));
  if (smoothing != 0) {
    if (!find_int(classes)) throw UnsupportedUse{"with label smoothing over classes of unknown number"};
    target = a("add", {a.times(target, 1 - smoothing), a.number(smoothing / static_cast<double>(*find_int(classes)))});
  }
  Expr terms = times_class_weights(n, a("multiply", {target, logs}), axis);
  Expr loss = a("negative", {n.call("sum", {terms}, {{"axis", AttrValue::ints({axis})}})});
  return reduced(n, loss);
}

Results cross_entropy_loss(const NodeContext& n) {
  Expr x = n.tensor("self");
  const int64_t axis = n.rank(x) == 1 ? 0 : 1;
  const double smoothing = n.real("label_smoothing", 0.0);
  Expr logs = n.call("nn.log_softmax", {x}, {{"axis", axis}});
  if (dtype_of(n.tensor("target")).is_float()) return probability_loss(n, logs, axis, smoothing);
  return smoothing != 0 ? smoothed_loss(n, logs, axis, smoothing) : nll_of(n, logs, n.integer("reduction", kMean));
}

}  // namespace

std::vector<Converter> loss_converters() {
  const char *arithmetic = "arithmetic, and `R.mean` or `R.sum`", *first = "the first output alone";
  return {{"aten.mse_loss.default", mse_loss, arithmetic},
          {"aten.l1_loss.default", l1_loss, arithmetic},
          {"aten.smooth_l1_loss.default", in_opmath<smooth_l1_loss>, arithmetic},
          {"aten.huber_loss.default", in_opmath<huber_loss>, arithmetic},
          {"aten.binary_cross_entropy.default", in_opmath<binary_cross_entropy>, arithmetic},
          {"aten.binary_cross_entropy_with_logits.default", binary_cross_entropy_with_logits, arithmetic},
          {"aten.kl_div.default", kl_div, arithmetic},
          {"aten.poisson_nll_loss.default", poisson_nll_loss, arithmetic},
          {"aten.soft_margin_loss.default", soft_margin_loss, arithmetic},
          {"aten.margin_ranking_loss.default", margin_ranking_loss, arithmetic},
          {"aten.hinge_embedding_loss.default", hinge_embedding_loss, arithmetic},
          {"aten.cosine_embedding_loss.default", cosine_embedding_loss, arithmetic},
          {"aten.triplet_margin_loss.default", triplet_margin_loss, arithmetic},
          {"aten.cosine_similarity.default", cosine_similarity, "`R.sum`, `R.sqrt` and `R.divide`"},
          {"aten.pairwise_distance.default", pairwise_distance, "`R.subtract` and a norm"},
          {"aten.nll_loss.default", nll_loss, "`R.nn.nll_loss`"},
          {"aten.nll_loss_nd.default", nll_loss, "`R.nn.nll_loss`"},
          {"aten.nll_loss_forward.default", nll_loss, "`R.nn.nll_loss`", first},
          {"aten.nll_loss2d_forward.default", nll_loss, "`R.nn.nll_loss`", first},
          {"aten.cross_entropy_loss.default", cross_entropy_loss, "`R.nn.log_softmax` and `R.nn.nll_loss`"}};
}

}  // namespace sunmao::torch
