// Loss functions.
#include <fmt/format.h>

#include "ops/broadcast.h"
#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/sampler.h"

namespace sunmao {
namespace {

Type infer_cross_entropy(const InferInput& in) {
  const TensorType &x = in.tensor(0), &labels = in.tensor(1);
  DType dtype = common_dtype(in, x, labels);  // C1
  Ref<VDevice> device = shared_vdevice(in, {&x, &labels});
  for (const TensorType* t : {&x, &labels})
    if (t->rank != kUnknownRank && t->rank != 1 && t->rank != 2)  // C2
      in.error("E0307", fmt::format("operands must have rank 1 or 2, got {}", t->rank));
  if (x.rank != kUnknownRank && labels.rank != kUnknownRank && x.rank != labels.rank)
    in.error("E0307", fmt::format("operands differ in rank: {} and {}", x.rank, labels.rank));
  if (x.dims() && labels.dims())
    for (size_t i = 0; i < x.dims()->size(); ++i)
      if (!in.can_agree((*x.dims())[i], (*labels.dims())[i]))  // C3
        in.error("E0309", fmt::format("dimension {} differs: {} against {}", i, describe((*x.dims())[i]),
                                      describe((*labels.dims())[i])));
  return TensorType::make({}, dtype, device);
}

// nn.cross_entropy_with_logits: minus the sum of prediction times label, for rank 2 divided by the batch size.
Ref<BaseFunc> lower_cross_entropy(const Call& call) {
  KernelBuilder k("cross_entropy_with_logits");
  Ref<Buffer> x = k.input("A", call.args[0]->type), labels = k.input("B", call.args[1]->type),
              y = k.output("T", call.type);
  Ref<Buffer> sum = k.alloc("A_sum", y->dtype, {});
  k.reduce(sum, "A_sum", x->shape, summed(y->dtype),
           [&](const Indices&, const Indices& r) { return load(x, r) * load(labels, r); });
  Scalar batch = x->rank() == 2 ? Cast::make(y->dtype, x->shape[0]) : constant(y->dtype, 1);
  k.compute(y, "T_loss", [&](const Indices& at) { return divide(load(sum, at) * constant(y->dtype, -1), batch); });
  return std::move(k).finish();
}

Type infer_nll_loss(const InferInput& in) {
  const TensorType &x = in.tensor(0), &targets = in.tensor(1);
  const TensorType* weights = in.has(2) ? &in.tensor(2) : nullptr;
  std::string reduction = word_attr(in, "reduction", {"none", "sum", "mean"});     // C1
  need_dtype(in, !targets.dtype.is_float(), "targets", "integer", targets.dtype);  // C2
  DType dtype = weights ? common_dtype(in, x, *weights) : x.dtype;                 // C3
  Ref<VDevice> device = weights ? shared_vdevice(in, {&x, &targets, weights}) : shared_vdevice(in, {&x, &targets});
  if (x.rank == 0) in.error("E0307", "`predictions` must have rank 1 or more, got 0");  // C4
  int wanted = x.rank == 1 ? 0 : x.rank - 1;
  if (x.rank != kUnknownRank && targets.rank != kUnknownRank && targets.rank != wanted)
    in.error("E0307", fmt::format("`targets` must have rank {}, got {}", wanted, targets.rank));
  if (weights) need_rank(in, 2, 1);
  if (x.dims()) {
    size_t classes = x.rank == 1 ? 0 : 1;
    if (weights && weights->dims())
      need_equal_sizes(in, "classes and weights", (*x.dims())[classes], weights->dims()->front());  // C5
    if (targets.dims() && x.rank > 1) {
      need_equal_sizes(in, "batches", x.dims()->front(), targets.dims()->front());
      for (size_t i = 2; i < x.dims()->size(); ++i)
        need_equal_sizes(in, "dimensions", (*x.dims())[i], (*targets.dims())[i - 1]);
    }
  }
  if (reduction != "none") return TensorType::make({}, dtype, device);
  if (x.rank == 1) return TensorType::make({}, dtype, device);
  if (written(targets)) return TensorType::make(*written(targets), dtype, device);
  if (written(x)) return TensorType::make(without_index(*written(x), 1), dtype, device);
  if (targets.shape) return TensorType::make_with_shape(targets.shape, dtype, device);
  return TensorType::make_unknown(dtype, x.rank == kUnknownRank ? targets.rank : wanted, device);
}

// The loss of target t is -weight[t] * prediction[t], that of an ignored target 0; the mean divides by the sum of the
// weights of the targets that are not ignored.
Ref<BaseFunc> lower_nll_loss(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("nll_loss");
  Ref<Buffer> x = k.input("A", call.args[0]->type), targets = k.input("B", call.args[1]->type);
  Ref<Buffer> weights = in.has(2) ? k.input("C", call.args[2]->type) : nullptr, y = k.output("T", call.type);
  Scalar ignored = constant(targets->dtype, static_cast<double>(in.int_attr("ignore_index")));
  const Scalar& classes = x->shape[x->rank() == 1 ? 0 : 1];
  auto place = [&](const Scalar& t) { return checked(call, as_index(t), classes); };
  auto weight = [&](const Indices& at) {
    Scalar t = load(targets, at), zero = constant(y->dtype, 0);
    return choose(equals(t, ignored), zero, weights ? load(weights, {place(t)}) : constant(y->dtype, 1));
  };
  auto loss = [&](const Indices& at) {
    Scalar t = load(targets, at);
    Indices from = x->rank() == 1 ? Indices{place(t)} : insert_index(at, 1, place(t));
    Scalar value = choose(equals(t, ignored), constant(y->dtype, 0), load(x, from));
    return value * weight(at) * constant(y->dtype, -1);
  };
  std::string reduction = in.string_attr("reduction");
  if (reduction == "none") {
    k.compute(y, "T_loss", loss);
    return std::move(k).finish();
  }
  bool mean = reduction == "mean";
  Ref<Buffer> sum = mean ? k.alloc("loss_sum", y->dtype, {}) : y;
  k.reduce(sum, "loss_sum", targets->shape, summed(y->dtype),
           [&](const Indices&, const Indices& r) { return loss(r); });
  if (!mean) return std::move(k).finish();
  Ref<Buffer> total = k.alloc("weight_sum", y->dtype, {});
  k.reduce(total, "weight_sum", targets->shape, summed(y->dtype),
           [&](const Indices&, const Indices& r) { return weight(r); });
  k.compute(y, "T_divide", [&](const Indices& at) { return divide(load(sum, at), load(total, at)); });
  return std::move(k).finish();
}

OpSample sample_cross_entropy(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .max_rank = 2, .size = Sizes::Whole});
  return {{x, s.like(x)}};
}

// Draws predictions of shape (N, C, …) or (C,), sometimes with an ignored class.
OpSample sample_nll_loss(Sampler& s) {
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

void register_loss_ops(OpTable& ops) {
  ops.add(
      {.name = "nn.cross_entropy_with_logits",
       .summary = "minus the sum of predictions times labels, averaged over the batch.",
       .params = {{"predictions", "tensor of rank 1 or 2 (C1, C2, C3)"},
                  {"labels", "tensor of the same shape (C1, C2, C3)"}},
       .constraints = {"C1: both dtypes are the same", "C2: both ranks are 1, or 2", "C3: both shapes are the same"},
       .infer = infer_cross_entropy,
       .lower = lower_cross_entropy,
       .fuse = Fuse::Reduce,
       .sample = sample_cross_entropy});
  ops.add({.name = "nn.nll_loss",
           .summary = "The negative log likelihood of targets: minus the predictions at them, weighted by class.",
           .params = {{"predictions", "tensor (N, C, …) or (C,) (C3, C4, C5)"},
                      {"targets", "integer tensor (N, …) or () (C2, C4, C5)"},
                      optional_param("weights", "tensor (C,): one for each class; None: all 1 (C3, C4, C5)"),
                      string_param("reduction", "\"none\", \"sum\" or \"mean\" (C1)", "mean"),
                      int_param("ignore_index", "targets of this value do not count", -100)},
           .constraints = {"C1: reduction is one of the three", "C2: targets are integers",
                           "C3: predictions and weights have one dtype", "C4: the ranks fit", "C5: the sizes fit"},
           .infer = infer_nll_loss,
           .lower = lower_nll_loss,
           .fuse = Fuse::Reduce,
           .sample = sample_nll_loss});
}

}  // namespace sunmao
