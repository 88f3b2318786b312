// Normalisations: elements are shifted to mean 0 (except in rms_norm) and scaled to variance 1 over some axes, then
// scaled and shifted by parameters.
#include <fmt/format.h>

#include <algorithm>

#include "ops/broadcast.h"
#include "ops/layout_rule.h"
#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/sampler.h"

namespace sunmao {
namespace {

// Checks C1 and C2 of the normalisations: all tensors have one float dtype. The parameters are inputs 1 to `count`.
void check_dtypes(const InferInput& in, size_t count) {
  need_float(in, in.tensor(0));
  for (size_t i = 1; i <= count; ++i) {
    need_one_dtype(in, i, 0);
    need_float(in, in.tensor(i));
  }
}

// Checks C4 and C5 of the normalisations: each parameter has the dimensions of the data along the axes.
void check_norm_parameters(const InferInput& in, size_t count, const std::vector<int>& axes) {
  for (size_t i = 1; i <= count; ++i) {
    need_rank(in, i, static_cast<int>(axes.size()));
    const std::vector<Scalar>*own = in.tensor(i).dims(), *data = in.tensor(0).dims();
    if (!own || !data) continue;
    for (size_t j = 0; j < axes.size(); ++j) {
      const Scalar& wanted = (*data)[static_cast<size_t>(axes[j])];
      if (!in.can_agree((*own)[j], wanted))
        in.error("E0309", fmt::format("dimension {} of `{}` is {}, that of `data` is {}", j, in.op.inputs()[i]->name,
                                      describe((*own)[j]), describe(wanted)));
    }
  }
}

std::vector<int> axes_attr(const InferInput& in, int rank) {
  return distinct_axes(in, in.ints_attr("axes").value_or(std::vector<int64_t>{}), rank);  // C3
}

Type infer_layer_norm(const InferInput& in) {
  check_dtypes(in, 2);
  int rank = in.tensor(0).rank;
  if (rank != kUnknownRank) check_norm_parameters(in, 2, axes_attr(in, rank));
  return in.type(0);
}

Type infer_rms_norm(const InferInput& in) {
  check_dtypes(in, 1);
  int rank = in.tensor(0).rank;
  if (rank != kUnknownRank) check_norm_parameters(in, 1, axes_attr(in, rank));
  return in.type(0);
}

Type infer_batch_norm(const InferInput& in) {
  check_dtypes(in, 4);
  int rank = in.tensor(0).rank;
  for (size_t i = 1; i <= 4; ++i) need_rank(in, i, 1);
  if (rank != kUnknownRank) check_norm_parameters(in, 4, {in.normalize_axis(in.int_attr("axis"), rank)});
  return TupleType::make({in.type(0), in.type(3), in.type(4)});
}

Type infer_channel_norm(const InferInput& in) {
  check_dtypes(in, 2);
  const TensorType& x = in.tensor(0);
  if (x.rank == kUnknownRank) return in.type(0);
  int channel = in.normalize_axis(in.int_attr("channel_axis"), x.rank);  // C6
  std::vector<int> axes = axes_attr(in, x.rank);
  if (std::ranges::find(axes, channel) != axes.end())  // C7
    in.error("E0203", fmt::format("`axes` holds the channel axis {}", channel));
  check_norm_parameters(in, 2, {channel});
  if (in.op.find_param("num_groups")) {
    int64_t groups = in.int_attr("num_groups");
    if (groups < 1) in.error("E0203", fmt::format("`num_groups` cannot be {}", groups));  // C8
    const int64_t* channels = x.dims() ? find_int((*x.dims())[static_cast<size_t>(channel)]) : nullptr;
    if (channels && *channels % groups != 0)
      in.error("E0309", fmt::format("{} channels do not divide into {} groups", *channels, groups));
  }
  return in.type(0);
}

// The statistics that elements are normalised by.
struct Moments {
  Ref<Buffer> mean, variance;  // mean is null for the root mean square
};

using Read = std::function<Scalar(const Indices& at, const Indices& r)>;

/// Emits the average of `value` over the indices r, and returns the buffer that holds it.
using Average = std::function<Ref<Buffer>(const std::string& name, const Read& value)>;

Moments moments(DType dtype, bool centred, const Average& average, const Read& read) {
  Moments m;
  if (centred)
    m.mean = average("mean", [&](const Indices& at, const Indices& r) { return cast_to(dtype, read(at, r)); });
  m.variance = average(centred ? "variance" : "square", [&](const Indices& at, const Indices& r) {
    Scalar value = cast_to(dtype, read(at, r));
    Scalar off = centred ? value - load(m.mean, at) : value;
    return off * off;
  });
  return m;
}

Moments moments(KernelBuilder& k, DType dtype, const std::vector<Scalar>& shape, const std::vector<Scalar>& extents,
                bool centred, const Read& read) {
  Scalar count = Cast::make(dtype, Analyzer().simplify(product(extents)));
  const auto average = [&](const std::string& name, const Read& value) {
    Ref<Buffer> sum = k.alloc(name + "_sum", dtype, shape), out = k.alloc(name, dtype, shape);
    k.reduce(sum, sum->name, extents, summed(dtype), value);
    k.compute(out, name, [&](const Indices& at) { return divide(load(sum, at), count); });
    return out;
  };
  return moments(dtype, centred, average, read);
}

/// Where channels are the last axis: sums of each channel, which are vectors, then of the channels of a group. The
/// moments stand at each channel.
Moments moments_of_channels(KernelBuilder& k, DType dtype, const std::vector<Scalar>& shape,
                            const std::vector<Scalar>& extents, const Scalar& per_group, const Read& read) {
  Analyzer analyzer;
  const Scalar count = Cast::make(dtype, analyzer.simplify(product(extents) * per_group));
  std::vector<Scalar> groups = shape;
  groups.back() = analyzer.simplify(floor_div(shape.back(), per_group));
  const auto average = [&](const std::string& name, const Read& value) {
    Ref<Buffer> sums = k.alloc(name + "_sums", dtype, shape), sum = k.alloc(name + "_sum", dtype, groups),
                out = k.alloc(name, dtype, shape);
    k.reduce(sums, sums->name, extents, summed(dtype), value);
    k.reduce(sum, sum->name, {per_group}, summed(dtype), [&](const Indices& at, const Indices& r) {
      return load(sums, with_index(at, at.size() - 1, at.back() * per_group + r[0]));
    });
    k.compute(out, name, [&](const Indices& at) {
      return divide(load(sum, with_index(at, at.size() - 1, floor_div(at.back(), per_group))), count);
    });
    return out;
  };
  return moments(dtype, true, average, read);
}

Scalar normalised(const Moments& m, const Scalar& value, const Indices& at, double epsilon) {
  DType dtype = m.variance->dtype;
  Scalar wide = cast_to(dtype, value), off = m.mean ? wide - load(m.mean, at) : wide;
  return off * intrinsic("rsqrt", load(m.variance, at) + constant(dtype, epsilon));
}

// The axes outside `axes` in order, and the combination of their indices with reduction indices to indices of the data.
struct Split {
  Split(const std::vector<Scalar>& shape, const std::vector<int>& reduced) : axes(reduced) {
    for (size_t i = 0; i < shape.size(); ++i)
      if (std::ranges::find(axes, static_cast<int>(i)) == axes.end()) {
        kept.push_back(i);
        kept_shape.push_back(shape[i]);
      }
    for (int a : axes) extents.push_back(shape[static_cast<size_t>(a)]);
    rank = shape.size();
  }
  Indices join(const Indices& at, const Indices& r) const {
    Indices out(rank);
    for (size_t i = 0; i < kept.size(); ++i) out[kept[i]] = at[i];
    for (size_t i = 0; i < axes.size(); ++i) out[static_cast<size_t>(axes[i])] = r[i];
    return out;
  }
  Indices own(const Indices& full) const {
    Indices out;
    for (size_t i : kept) out.push_back(full[i]);
    return out;
  }
  Indices reduced(const Indices& full) const {
    Indices out;
    for (int a : axes) out.push_back(full[static_cast<size_t>(a)]);
    return out;
  }
  std::vector<int> axes;
  std::vector<size_t> kept;
  std::vector<Scalar> kept_shape, extents;
  size_t rank;
};

template <bool kRms>
Ref<BaseFunc> lower_layer_norm(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k(in.op.name().substr(3));
  Ref<Buffer> x = k.input("A", call.args[0]->type), gamma = k.input("B", call.args[1]->type);
  Ref<Buffer> beta = kRms ? nullptr : k.input("C", call.args[2]->type);
  Ref<Buffer> y = k.output("T_norm", call.type);
  DType dtype = accumulator(x->dtype);
  Split s(x->shape, axes_attr(in, x->rank()));
  Moments m = moments(k, dtype, s.kept_shape, s.extents, !kRms,
                      [&](const Indices& at, const Indices& r) { return load(x, s.join(at, r)); });
  bool scales = kRms || in.bool_attr("scale"), centres = !kRms && in.bool_attr("center");
  k.compute(y, "T_norm", [&](const Indices& at) {
    Scalar value = normalised(m, load(x, at), s.own(at), in.float_attr("epsilon"));
    if (scales) value = value * cast_to(dtype, load(gamma, s.reduced(at)));
    if (centres) value = value + cast_to(dtype, load(beta, s.reduced(at)));
    return cast_to(y->dtype, value);
  });
  return std::move(k).finish();
}

// Groups of channels are normalised together; an instance norm is a group norm with one channel per group.
template <bool kInstance>
Ref<BaseFunc> lower_channel_norm(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k(in.op.name().substr(3));
  Ref<Buffer> x = k.input("A", call.args[0]->type), gamma = k.input("B", call.args[1]->type),
              beta = k.input("C", call.args[2]->type), y = k.output("T_norm", call.type);
  DType dtype = accumulator(x->dtype);
  int channel = in.normalize_axis(in.int_attr("channel_axis"), x->rank());
  std::vector<int> axes = axes_attr(in, x->rank());
  Split s(x->shape, axes);
  size_t place = static_cast<size_t>(std::ranges::find(s.kept, static_cast<size_t>(channel)) - s.kept.begin());
  Scalar per_group = int_imm(1);
  if (!kInstance) {
    Scalar groups = int_imm(in.int_attr("num_groups"));
    per_group = in.analyzer().simplify(floor_div(x->shape[static_cast<size_t>(channel)], groups));
    if (channel + 1 < x->rank()) s.kept_shape[place] = groups;
  }
  // Each channel is a group, or has the moments of its group beside it.
  const bool is_alone = structural_equal(per_group, int_imm(1)), has_own = is_alone || channel + 1 == x->rank();
  if (!has_own) s.extents.push_back(per_group);
  auto group_of = [&](const Indices& own) {
    return has_own ? own : with_index(own, place, floor_div(own[place], per_group));
  };
  const auto read = [&](const Indices& at, const Indices& r) {
    return load(x, s.join(has_own ? at : with_index(at, place, at[place] * per_group + r.back()), r));
  };
  Moments m = has_own && !is_alone ? moments_of_channels(k, dtype, s.kept_shape, s.extents, per_group, read)
                                   : moments(k, dtype, s.kept_shape, s.extents, true, read);
  k.compute(y, "T_norm", [&](const Indices& at) {
    Scalar value = normalised(m, load(x, at), group_of(s.own(at)), in.float_attr("epsilon"));
    Indices c{at[static_cast<size_t>(channel)]};
    if (in.bool_attr("scale")) value = value * cast_to(dtype, load(gamma, c));
    if (in.bool_attr("center")) value = value + cast_to(dtype, load(beta, c));
    return cast_to(y->dtype, value);
  });
  return std::move(k).finish();
}

// batch_norm: training normalises by the statistics of the batch and updates the moving averages; inference normalises
// by the moving averages.
Ref<BaseFunc> lower_batch_norm(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("batch_norm");
  std::vector<Ref<Buffer>> p;
  for (const char* name : {"data", "gamma", "beta", "moving_mean", "moving_var"})
    p.push_back(k.input(name, call.args[p.size()]->type));
  const std::vector<Type>& fields = find<TupleType>(call.type)->fields;
  Ref<Buffer> y = k.output("T_norm", fields[0]), mean_out = k.output("T_mean", fields[1]),
              var_out = k.output("T_var", fields[2]);
  const Ref<Buffer>& x = p[0];
  int axis = in.normalize_axis(in.int_attr("axis"), x->rank());
  std::vector<int> others;
  for (int i = 0; i < x->rank(); ++i)
    if (i != axis) others.push_back(i);
  Split s(x->shape, others);
  bool training = in.bool_attr("training");
  Moments m{p[3], p[4]};
  if (training)
    m = moments(k, x->dtype, s.kept_shape, s.extents, true,
                [&](const Indices& at, const Indices& r) { return load(x, s.join(at, r)); });
  k.compute(y, "T_norm", [&](const Indices& at) {
    Scalar value = normalised(m, load(x, at), s.own(at), in.float_attr("epsilon"));
    if (in.bool_attr("scale")) value = value * load(p[1], s.own(at));
    if (in.bool_attr("center")) value = value + load(p[2], s.own(at));
    return value;
  });
  double momentum = in.float_attr("momentum");
  auto moved = [&](const Ref<Buffer>& out, const Ref<Buffer>& old, const Ref<Buffer>& batch) {
    k.compute(out, out->name, [&](const Indices& at) {
      if (!training) return load(old, at);
      return load(old, at) * constant(out->dtype, 1 - momentum) + load(batch, at) * constant(out->dtype, momentum);
    });
  };
  moved(mean_out, p[3], m.mean);
  moved(var_out, p[4], m.variance);
  return std::move(k).finish();
}

std::vector<OpParam> with_common(std::vector<OpParam> params, double epsilon = 1e-5) {
  params.push_back(float_param("epsilon", "added to the variance", epsilon));
  params.push_back(bool_param("center", "beta is added", true));
  params.push_back(bool_param("scale", "gamma is multiplied", true));
  return params;
}

template <bool kRootMeanSquare>
OpSample sample_layer_norm(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .size = Sizes::Whole});
  const int64_t inner = s.between(1, std::min<int64_t>(2, sampled_rank(x)));
  const Dims scale(sampled_dims(x).end() - inner, sampled_dims(x).end());
  std::vector<int64_t> axes;
  for (int64_t i = -inner; i < 0; ++i) axes.push_back(i);
  std::vector<Expr> args{x, s.beside(x, scale)};
  if (!kRootMeanSquare) args.push_back(s.beside(x, scale));
  return {std::move(args), {{"axes", AttrValue::ints(axes)}, {"epsilon", s.chance(50) ? 1e-5 : 0.125}}};
}

OpSample sample_batch_norm(Sampler& s) {
  Expr x = s.image(2);
  const Dims channels{sampled_dims(x)[1]};
  return {
      {x, s.beside(x, channels), s.beside(x, channels), s.beside(x, channels), s.beside(x, channels, Values::Positive)},
      {{"axis", 1}, {"training", s.chance(30)}}};
}

OpSample sample_group_norm(Sampler& s) {
  Expr x = s.image(2);
  const Dims channels{sampled_dims(x)[1]};
  return {{x, s.beside(x, channels), s.beside(x, channels)},
          {{"num_groups", 2}, {"channel_axis", 1}, {"axes", AttrValue::ints({2, 3})}}};
}

OpSample sample_instance_norm(Sampler& s) {
  OpSample sample = sample_group_norm(s);
  sample.attrs.erase("num_groups");
  return sample;
}

OpInfo norm(const char* name, const char* summary, std::vector<OpParam> params, InferFn infer, LowerFn lower,
            LayoutFn layout, SampleFn sample) {
  bool has_axes = infer != infer_batch_norm;
  std::vector<std::string> constraints{
      "C1: data is a float tensor", "C2: all have one dtype",
      has_axes ? "C3: axes are in [-rank, rank - 1], and none twice" : "C3: axis is in [-rank, rank - 1]",
      "C4: parameters have as many dimensions as what they scale", "C5: and its sizes"};
  if (infer == infer_channel_norm)
    constraints.insert(constraints.end(),
                       {"C6: channel_axis is in [-rank, rank - 1]", "C7: axes do not hold the channel axis"});
  if (std::ranges::any_of(params, [](const OpParam& p) { return p.name == "num_groups"; }))
    constraints.push_back("C8: channels divide into the groups");
  return {.name = name,
          .summary = summary,
          .params = std::move(params),
          .constraints = std::move(constraints),
          .infer = infer,
          .lower = lower,
          .fuse = Fuse::Reduce,
          .precision = infer == infer_batch_norm ? Precision::Keep : Precision::Follow,
          .layout = layout,
          .sample = sample};
}

}  // namespace

void register_norm_ops(OpTable& ops) {
  OpParam data{"data", "float tensor (C1)"}, gamma{"gamma", "what to multiply by (C2, C4, C5)"},
      beta{"beta", "what to add (C2, C4, C5)"};
  ops.add(norm("nn.layer_norm", "data normalised over `axes`.",
               with_common({data, gamma, beta, ints_param("axes", "what to normalise over (C3)")}), infer_layer_norm,
               lower_layer_norm<false>, layout_along_axes, sample_layer_norm<false>));
  ops.add(norm("nn.rms_norm", "data divided by its root mean square over `axes`.",
               {data,
                {"weight", "what to multiply by (C2, C4, C5)"},
                ints_param("axes", "what to normalise over (C3)", -1),
                float_param("epsilon", "added to the square", 1e-5)},
               infer_rms_norm, lower_layer_norm<true>, layout_along_axes, sample_layer_norm<true>));
  ops.add(norm("nn.group_norm", "data normalised over `axes` and groups of channels.",
               with_common({data, gamma, beta, int_param("num_groups", "how many groups (C8)"),
                            int_param("channel_axis", "the axis of channels (C6)"),
                            ints_param("axes", "what else to normalise over (C3, C7)")}),
               infer_channel_norm, lower_channel_norm<false>, layout_channel_norm, sample_group_norm));
  ops.add(norm("nn.instance_norm", "data normalised over `axes`, each channel by itself.",
               with_common({data, gamma, beta, int_param("channel_axis", "the axis of channels (C6)"),
                            ints_param("axes", "what to normalise over (C3, C7)")}),
               infer_channel_norm, lower_channel_norm<true>, layout_channel_norm, sample_instance_norm));
  std::vector<OpParam> batch = with_common({data,
                                            gamma,
                                            beta,
                                            {"moving_mean", "the mean so far (C2, C4, C5)"},
                                            {"moving_var", "the variance so far (C2, C4, C5)"},
                                            int_param("axis", "the axis of channels (C3)")});
  batch.push_back(float_param("momentum", "how much of the batch goes into the moving averages", 0.1));
  batch.push_back(bool_param("training", "normalise by the batch, not by the moving averages", true));
  ops.add(norm("nn.batch_norm", "data normalised by channels; with the new moving averages, as a tuple.",
               std::move(batch), infer_batch_norm, lower_batch_norm, layout_batch_norm, sample_batch_norm));
}

}  // namespace sunmao
