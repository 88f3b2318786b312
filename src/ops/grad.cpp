// Gradient markers, and the backward counterparts of ops.
#include <fmt/format.h>

#include "ops/axis_layout.h"
#include "ops/ops.h"
#include "ops/pool_gradient.h"
#include "ops/pool_window.h"
#include "ops/samples/shared_samples.h"

namespace sunmao {
namespace {

Type infer_mark(const InferInput& in) {
  if (!find<Var>(in.args[0]) && !find<Constant>(in.args[0]))  // C1
    in.error("E0201", "`input` must be a variable, or the constant that it turned out to be");
  return in.type(0);
}

// Checks C1 of the backward ops, that the gradient of the result has the dtype of the data; returns the type of the
// data.
Type gradient_type(const InferInput& in) {
  const TensorType &grad = in.tensor(0), &x = in.tensor(1);
  if (!grad.dtype.is_void() && !x.dtype.is_void() && grad.dtype != x.dtype)
    in.error("E0304",
             fmt::format("`output_grad` is {}, `{}` {}", grad.dtype.str(), in.op.inputs()[1]->name, x.dtype.str()));
  return in.type(1);
}

// Records run-time checks that `output_grad` has the shape of the forward op's result. Inference accepts any shape;
// `need_result_shape` checks it when kernels are made.
void demand_result_shape(const InferInput& in, const std::vector<Scalar>& dims) {
  const std::vector<Scalar>* grad = in.tensor(0).dims();
  for (size_t i = 0; grad && i < std::min(dims.size(), grad->size()); ++i)
    std::ignore = in.can_agree((*grad)[i], dims[i]);
}

void need_result_shape(const InferInput& in, const std::vector<Scalar>& dims) {
  const TensorType& grad = in.tensor(0);
  if (grad.rank != static_cast<int>(dims.size()))
    in.error("E0307", fmt::format("`output_grad` must have rank {}, got {}", dims.size(), grad.rank));
  for (size_t i = 0; i < dims.size() && grad.dims(); ++i)
    if (!in.can_agree(dims[i], (*grad.dims())[i]))
      in.error("E0309", fmt::format("dimension {} of `output_grad` is {}, not {}", i, describe((*grad.dims())[i]),
                                    describe(dims[i])));
}

Type infer_nll_gradient(const InferInput& in) {
  const TensorType &x = in.tensor(1), &targets = in.tensor(2);
  word_attr(in, "reduction", {"none", "sum", "mean"});  // C2
  need_integers(in, "targets", targets.dtype);          // C3
  int wanted = x.rank == 1 ? 0 : x.rank - 1;
  if (x.rank == 0) in.error("E0307", "`predictions` must have rank 1 or more, got 0");  // C4
  if (x.rank != kUnknownRank && targets.rank != kUnknownRank && targets.rank != wanted)
    in.error("E0307", fmt::format("`targets` must have rank {}, got {}", wanted, targets.rank));
  if (in.has(3)) need_rank(in, 3, 1);
  if (x.dims() && targets.dims()) {
    const size_t axis = x.rank == 1 ? 0 : 1;
    const Indices places = without_index(*x.dims(), axis);
    for (size_t i = 0; i < places.size(); ++i) std::ignore = in.can_agree((*targets.dims())[i], places[i]);
    if (const auto* weights = in.has(3) ? in.tensor(3).dims() : nullptr)
      std::ignore = in.can_agree(weights->front(), (*x.dims())[axis]);
    demand_result_shape(in, in.string_attr("reduction") == "none" ? places : Indices{});
  }
  return gradient_type(in);
}

Type infer_pool_gradient(const InferInput& in) {
  in.tensor(1);
  Pool p(in, "NCHW", 2);            // C2, C3
  need_layout_rank(in, 1, p.data);  // C4
  if (const std::vector<Scalar>* dims = in.tensor(1).dims())
    demand_result_shape(in, p.out.sizes(window_sizes(in, p, p.data.canonical_sizes(*dims)), in.analyzer()));
  return gradient_type(in);
}

template <LowerFn kLower>
Ref<BaseFunc> lower_pool_gradient(const Call& call) {
  InferInput in = input_of(call);
  if (!in.tensor(1).dims()) return kLower(call);  // reports the missing shape
  Pool p(in, "NCHW", 2);
  std::vector<Scalar> data = p.data.canonical_sizes(*in.tensor(1).dims());
  need_result_shape(in, p.out.sizes(pooled_sizes(in, p, std::move(data)), in.analyzer()));
  return kLower(call);
}

// Returns the shape of the result of `take`.
std::vector<Scalar> taken_sizes(std::vector<Scalar> x, int axis, const std::vector<Scalar>& indices) {
  x.insert(x.erase(x.begin() + axis), indices.begin(), indices.end());
  return x;
}

Type infer_take_gradient(const InferInput& in) {
  const TensorType &x = in.tensor(1), &indices = in.tensor(2);
  bool flat = in.attr("axis").is_none();
  if (flat && x.rank != kUnknownRank && x.rank != 1)  // C2
    in.error("E0307", fmt::format("without `axis` the tensor must have rank 1, got {}", x.rank));
  const int axis = flat || x.rank == kUnknownRank ? 0 : in.normalize_axis(in.int_attr("axis"), x.rank);  // C3
  if (x.dims() && indices.dims() && x.rank > 0) demand_result_shape(in, taken_sizes(*x.dims(), axis, *indices.dims()));
  return gradient_type(in);
}

// The gradient of -weight[target] * x[n, target, …] is -weight[target] times the incoming gradient, at the target's
// position, and 0 elsewhere and for ignored targets; for the mean it is divided by the sum of the weights.
Ref<BaseFunc> lower_nll_backward(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("nll_loss_backward");
  Ref<Buffer> g = k.input("A", call.args[0]->type), x = k.input("B", call.args[1]->type),
              targets = k.input("C", call.args[2]->type);
  Ref<Buffer> weights = in.has(3) ? k.input("D", call.args[3]->type) : nullptr, y = k.output("T_pred_grad", call.type);
  std::string reduction = in.string_attr("reduction");
  need_result_shape(in, reduction == "none" ? targets->shape : std::vector<Scalar>{});
  Scalar ignored = constant(targets->dtype, static_cast<double>(in.int_attr("ignore_index")));
  const size_t axis = x->rank() == 1 ? 0 : 1;
  auto class_of = [&](const Scalar& t) { return checked(call, as_index(t), x->shape[axis]); };
  auto weight = [&](const Indices& at) {
    Scalar t = load(targets, at);
    return choose(equals(t, ignored), constant(y->dtype, 0),
                  weights ? load(weights, {class_of(t)}) : constant(y->dtype, 1));
  };
  Ref<Buffer> total;
  if (reduction == "mean") {
    total = k.alloc("weight_sum", y->dtype, {});
    k.reduce(total, "weight_sum", targets->shape, summed(y->dtype),
             [&](const Indices&, const Indices& r) { return weight(r); });
  }
  k.compute(y, "T_pred_grad", [&](const Indices& at) {
    Indices place = without_index(at, axis);
    Scalar target = load(targets, place);
    Scalar grad = load(g, reduction == "none" ? place : Indices{});
    if (total) grad = divide(grad, load(total, {}));
    Scalar value = grad * weight(place) * constant(y->dtype, -1);
    Scalar zero = constant(y->dtype, 0);
    return choose(equals(target, ignored), zero, choose(equals(class_of(target), at[axis]), value, zero));
  });
  return std::move(k).finish();
}

// Kernel of take_backward: the gradient of an element of x is the sum of the incoming gradients of the elements that
// were taken from it.
Ref<BaseFunc> lower_take_backward(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("take_backward");
  Ref<Buffer> g = k.input("A", call.args[0]->type), x = k.input("B", call.args[1]->type),
              indices = k.input("C", call.args[2]->type), y = k.output("T_take_grad", call.type);
  size_t axis = in.attr("axis").is_none() ? 0 : static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), x->rank()));
  need_integers(in, "indices", indices->dtype);
  need_result_shape(in, taken_sizes(x->shape, static_cast<int>(axis), indices->shape));
  k.reduce(y, "T_take_grad", indices->shape, summed(y->dtype), [&](const Indices& at, const Indices& r) {
    Indices from(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(axis));
    from.insert(from.end(), r.begin(), r.end());
    from.insert(from.end(), at.begin() + static_cast<std::ptrdiff_t>(axis) + 1, at.end());
    Scalar target = from_end(as_index(load(indices, r)), x->shape[axis]);
    return choose(equals(target, at[axis]), load(g, from), constant(y->dtype, 0));
  });
  return std::move(k).finish();
}

void canonical_pool_gradient(std::vector<Expr>&, AttrMap& attrs) {
  for (const char* name : {"pool_size", "strides", "dilation"}) repeat_value(attrs, name, 2);
  mirror_padding(attrs, 2);
  default_layout(attrs, "out_layout", "layout");
}

// Draws a gradient with the shape of the op's result.
Expr gradient_of(Sampler& s, const char* op, const OpSample& sample) {
  Expr call = Call::make(builtin_ops().get(op), sample.args, Attrs(sample.attrs));
  return s.beside(sample.args[0], sampled_dims(call));
}

// Draws arguments of the forward op, preceded by a gradient of its result.
template <const char* const& kForward>
OpSample sample_backward(Sampler& s) {
  OpSample sample = builtin_ops().get(kForward)->info.sample(s);
  sample.args.insert(sample.args.begin(), gradient_of(s, kForward, sample));
  return sample;
}

constexpr const char* kLoss = "nn.nll_loss";
constexpr const char* kMaxPool = "nn.max_pool2d";
constexpr const char* kAvgPool = "nn.avg_pool2d";

OpSample sample_take_backward(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .max_rank = 3, .size = Sizes::Some});
  const int64_t axis = s.axis(sampled_rank(x)), size = s.size_along(axis, x);
  OpSample sample{{x, s.places(s.dims(0, 2), size, -size)}, {{"axis", axis}}};
  sample.args.insert(sample.args.begin(), gradient_of(s, "take", sample));
  return sample;
}

OpInfo mark(const char* name, const char* summary, InferFn infer) {
  OpInfo info{.name = name,
              .summary = summary,
              .params = {{"input", infer == infer_mark ? "variable, or constant (C1)" : "any value", ParamKind::Value}},
              .infer = infer,
              .decompose = first_argument,
              .sample = sample_unary<TensorWish::Kind::Number>};
  if (infer == infer_mark) info.constraints = {"C1: input is a variable or a constant"};
  return info;
}

}  // namespace

void register_grad_ops(OpTable& ops) {
  ops.add(mark("grad.no_grad", "input; no gradient flows through it.", infer_as_first));
  ops.add(mark("grad.start_checkpoint", "input; what follows is computed again for the gradient.", infer_mark));
  ops.add(mark("grad.end_checkpoint", "input; what is computed again ends here.", infer_mark));
  OpParam grad{"output_grad", "tensor: the gradient of the result (C1)"};
  const std::string one_dtype = "C1: output_grad has the dtype of the data";
  ops.add(
      {.name = "grad.nll_loss_backward",
       .summary = "The gradient of nll_loss by its predictions.",
       .params = {grad,
                  {"predictions", "tensor (N, C, …) or (C,) (C1, C4)"},
                  {"targets", "integer tensor (N, …) or () (C3, C4)"},
                  optional_param("weights", "tensor (C,): one for each class; None: all 1 (C4)"),
                  string_param("reduction", "\"none\", \"sum\" or \"mean\" (C2)", "mean"),
                  int_param("ignore_index", "targets of this value do not count", -100)},
       .constraints = {one_dtype, "C2: reduction is one of the three", "C3: targets are integers", "C4: the ranks fit"},
       .infer = infer_nll_gradient,
       .lower = lower_nll_backward,
       .sample = sample_backward<kLoss>});
  for (bool is_max : {true, false})
    ops.add(
        {.name = is_max ? "grad.max_pool2d_backward" : "grad.avg_pool2d_backward",
         .summary = is_max ? "The gradient of max_pool2d by its data." : "The gradient of avg_pool2d by its data.",
         .params = {grad,
                    {"data", "tensor in `layout` (C1, C4)"},
                    ints_param("pool_size", "as of the pool (C3)", 1),
                    ints_param("strides", "as of the pool (C3)", 1),
                    ints_param("padding", "as of the pool (C3)", 0),
                    ints_param("dilation", "as of the pool (C3)", 1),
                    bool_param("ceil_mode", "as of the pool", false),
                    bool_param("count_include_pad", "as of the pool", false),
                    string_param("layout", "as of the pool (C2)", "NCHW"),
                    string_param("out_layout", "as of the pool (C2)", AttrValue())},
         .constraints = {one_dtype, "C2: layouts have the letters of the default one",
                         "C3: sizes, strides and dilation at least 1, padding at least 0, as many as axes",
                         "C4: the rank is that of the layout"},
         .infer = infer_pool_gradient,
         .lower = is_max ? lower_pool_gradient<lower_max_pool_gradient> : lower_pool_gradient<lower_avg_pool_gradient>,
         .canonical = canonical_pool_gradient,
         .sample = is_max ? sample_backward<kMaxPool> : sample_backward<kAvgPool>});
  ops.add({.name = "grad.take_backward",
           .summary = "The gradient of take by its tensor.",
           .params = {grad,
                      {"x", "tensor (C1)"},
                      {"indices", "integer tensor"},
                      int_param("axis", "as of take (C2, C3)", AttrValue())},
           .constraints = {one_dtype, "C2: without an axis the rank is 1", "C3: axis is in [-rank, rank - 1]"},
           .infer = infer_take_gradient,
           .lower = lower_take_backward,
           .sample = sample_take_backward});
}

}  // namespace sunmao
