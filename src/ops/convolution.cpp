// Convolutions and transposed convolutions of one to three spatial dimensions, in any layout.
#include <fmt/format.h>

#include <algorithm>

#include "ops/axis_layout.h"
#include "ops/broadcast.h"
#include "ops/layout_rule.h"
#include "ops/ops.h"
#include "ops/samples/sampler.h"

namespace sunmao {
namespace {

struct Letters {
  std::string data, kernel;
};

// Returns the layout letters for 1, 2 or 3 spatial dimensions. Kernels of transposed convolutions have input channels
// first.
template <size_t kSpatial, bool kTransposed>
Letters conv_letters() {
  std::string spatial = kSpatial == 1 ? "W" : kSpatial == 2 ? "HW" : "DHW";
  return {"NC" + spatial, (kTransposed ? "IO" : "OI") + spatial};
}

template <size_t kSpatial, bool kTransposed>
void canonical_conv(std::vector<Expr>&, AttrMap& attrs) {
  for (const char* name : {"strides", "dilation", "output_padding"}) repeat_value(attrs, name, kSpatial);
  mirror_padding(attrs, kSpatial);
  default_layout(attrs, "out_layout", "data_layout");
}

// The checked attributes of a convolution.
struct Window {
  Window(const InferInput& in, const Letters& names, size_t spatial, bool transposed)
      : data(AxisLayout::of_attr(in, "data_layout", names.data)),
        kernel(AxisLayout::of_attr(in, "kernel_layout", names.kernel)),
        out(AxisLayout::of_attr(in, "out_layout", names.data)),  // C3
        strides(spatial_attr(in, "strides", spatial, 1)), dilation(spatial_attr(in, "dilation", spatial, 1)),
        padding(spatial_attr(in, "padding", 2 * spatial, 0)),  // C4
        groups(in.int_attr("groups")) {
    if (groups < 1) in.error("E0203", fmt::format("`groups` cannot be {}", groups));  // C5
    if (!transposed) return;
    more = spatial_attr(in, "output_padding", spatial, 0);
    for (size_t i = 0; i < spatial; ++i)
      if (more[i] >= strides[i])  // C9
        in.error("E0203", fmt::format("`output_padding` of {} is not below the stride of {}", more[i], strides[i]));
  }
  AxisLayout data, kernel, out;
  std::vector<int64_t> strides, dilation, padding, more;
  int64_t groups;
};

Scalar spatial_size(const InferInput& in, const Window& w, const Scalar& size, const Scalar& taps, size_t i,
                    bool transposed) {
  int64_t pad = w.padding[i] + w.padding[i + w.strides.size()];
  Scalar reach = int_imm(w.dilation[i]) * (taps - int_imm(1));
  if (transposed) {
    Scalar spread = (size - int_imm(1)) * int_imm(w.strides[i]);
    return in.analyzer().simplify(spread - int_imm(pad) + reach + int_imm(w.more[i]) + int_imm(1));
  }
  return in.analyzer().simplify(floor_div(size + int_imm(pad) - reach - int_imm(1), int_imm(w.strides[i])) +
                                int_imm(1));
}

// Checks C6 and C7 of a convolution: the data has the channels that the kernel takes, and the channels divide into the
// groups.
void check_channels(const InferInput& in, const Window& w, const std::vector<Scalar>& x, const std::vector<Scalar>& k,
                    bool transposed) {
  Scalar groups = int_imm(w.groups), own = transposed ? k[0] : k[1] * groups;
  if (!in.can_agree(x[1], in.analyzer().simplify(own)))
    in.error("E0309", fmt::format("`data` has {} channels, the kernel takes {} in {} groups", describe(x[1]),
                                  describe(k[transposed ? 0 : 1]), w.groups));
  const Scalar& split = transposed ? x[1] : k[0];
  if (!in.can_agree(in.analyzer().simplify(floor_mod(split, groups)), int_imm(0)))
    in.error("E0309", fmt::format("{} channels do not divide into {} groups", describe(split), w.groups));
}

template <size_t kSpatial, bool kTransposed>
Type infer_conv(const InferInput& in) {
  const TensorType &x = in.tensor(0), &weight = in.tensor(1);
  Window w(in, conv_letters<kSpatial, kTransposed>(), kSpatial, kTransposed);
  need_layout_rank(in, 0, w.data);  // C1
  need_layout_rank(in, 1, w.kernel);
  DType given = in.dtype_attr("out_dtype");
  DType dtype = given.is_void() ? common_dtype(in, x, weight) : given;  // C2
  Ref<VDevice> device = shared_vdevice(in, {&x, &weight});
  if (!x.dims() || !weight.dims()) return TensorType::make_unknown(dtype, w.out.rank(), device);
  std::vector<Scalar> data = w.data.canonical_sizes(*x.dims()), kernel = w.kernel.canonical_sizes(*weight.dims());
  for (Scalar& s : data) s = in.analyzer().simplify(s);
  for (Scalar& s : kernel) s = in.analyzer().simplify(s);
  check_channels(in, w, data, kernel, kTransposed);
  if (!written(x) || !written(weight)) return TensorType::make_unknown(dtype, w.out.rank(), device);
  std::vector<Scalar> out{data[0], kTransposed ? in.analyzer().simplify(kernel[1] * int_imm(w.groups)) : kernel[0]};
  for (size_t i = 0; i < kSpatial; ++i) out.push_back(spatial_size(in, w, data[i + 2], kernel[i + 2], i, kTransposed));
  need_sizes(in, out);  // C8
  return TensorType::make(w.out.sizes(out, in.analyzer()), dtype, device);
}

// The buffers of a convolution kernel, and the sizes of data and weight in canonical order.
struct Kernel {
  Ref<Buffer> x, weight, y;
  std::vector<Scalar> data, taps;
};

Scalar widened(const Scalar& value, DType dtype) { return cast_to(dtype, value); }

/// What the loops of a convolution read data from, by indices in canonical order.
struct Source {
  Ref<Buffer> buffer;
  std::optional<AxisLayout> layout;  // absent: canonical
  Scalar at(const Indices& canonical) const { return load(buffer, layout ? layout->indices(canonical) : canonical); }
};

// Copies the data into a buffer with padding, so that the inner loops have no bounds checks. The order of its axes is
// that of the data, canonical where that has blocks. Gives the data itself when there is no padding.
Source padded(KernelBuilder& k, const Window& w, const Kernel& b) {
  const Source data{b.x, w.data};
  size_t spatial = w.strides.size();
  std::vector<Scalar> sizes = b.data;
  bool any = false;
  Analyzer analyzer;
  for (size_t i = 0; i < spatial; ++i) {
    int64_t pad = w.padding[i] + w.padding[i + spatial];
    any = any || pad > 0;
    if (pad > 0) sizes[i + 2] = analyzer.simplify(sizes[i + 2] + int_imm(pad));
  }
  if (!any) return data;
  Source out{nullptr, w.data.is_blocked() ? std::nullopt : std::optional(w.data)};
  out.buffer = k.alloc("pad_temp", b.x->dtype, out.layout ? out.layout->sizes(sizes, analyzer) : sizes);
  k.compute(out.buffer, "pad_temp", [&](const Indices& own) {
    const Indices at = out.layout ? out.layout->canonical_indices(own) : own;
    Indices from = at;
    Scalar inside;
    for (size_t i = 0; i < spatial; ++i) {
      if (w.padding[i] + w.padding[i + spatial] == 0) continue;
      from[i + 2] = at[i + 2] - int_imm(w.padding[i]);
      Scalar here = both(at_least(at[i + 2], int_imm(w.padding[i])), less(from[i + 2], b.data[i + 2]));
      inside = inside ? both(inside, here) : here;
    }
    return choose(inside, data.at(from), constant(b.x->dtype, 0));
  });
  return out;
}

template <size_t kSpatial>
Ref<BaseFunc> lower_conv(const Call& call) {
  InferInput in = input_of(call);
  Window w(in, conv_letters<kSpatial, false>(), kSpatial, false);
  KernelBuilder k(in.op.name().substr(3));
  Kernel b{
      k.input("data", call.args[0]->type), k.input("weight", call.args[1]->type), k.output("conv", call.type), {}, {}};
  b.data = w.data.canonical_sizes(b.x->shape);
  b.taps = w.kernel.canonical_sizes(b.weight->shape);
  const Source source = padded(k, w, b);
  std::vector<Scalar> extents(b.taps.begin() + 1, b.taps.end());
  Analyzer analyzer;
  const Scalar per_group = analyzer.simplify(floor_div(b.taps[0], int_imm(w.groups)));
  const auto is_one = [](const Scalar& s) { return find_int(s) && *find_int(s) == 1; };
  const bool is_depthwise = is_one(per_group) && is_one(b.taps[1]);
  k.reduce(b.y, "conv", extents, summed(b.y->dtype), [&](const Indices& own, const Indices& r) {
    Indices at = w.out.canonical_indices(own);
    const Scalar channel = w.groups == 1 ? r[0] : is_depthwise ? at[1] : floor_div(at[1], per_group) * b.taps[1] + r[0];
    Indices from{at[0], channel}, tap{at[1], r[0]};
    for (size_t i = 0; i < kSpatial; ++i) {
      Scalar start = w.strides[i] == 1 ? at[i + 2] : at[i + 2] * int_imm(w.strides[i]);
      from.push_back(start + (w.dilation[i] == 1 ? r[i + 1] : r[i + 1] * int_imm(w.dilation[i])));
      tap.push_back(r[i + 1]);
    }
    return widened(source.at(from), b.y->dtype) * widened(load(b.weight, w.kernel.indices(tap)), b.y->dtype);
  });
  return std::move(k).finish();
}

// The inputs along one axis that contribute to an output element: those at (o + padding - tap * dilation) / stride
// where that quotient is an integer. Without dilation these are every stride-th tap, and only they are visited.
struct Gathered {
  Scalar place, tap;
  Scalar is_there;  // null: always
};

/// Returns the number of taps that an output element may need along axis `i`.
Scalar visited_taps(const Window& w, const Kernel& b, size_t i) {
  const int64_t* taps = find_int(b.taps[i + 2]);
  if (w.dilation[i] != 1 || w.strides[i] == 1 || !taps) return b.taps[i + 2];
  return int_imm((*taps + w.strides[i] - 1) / w.strides[i]);
}

Gathered gathered(const Window& w, const Kernel& b, size_t i, const Scalar& at, const Scalar& visit) {
  const Scalar stride = int_imm(w.strides[i]), size = b.data[i + 2], taps = b.taps[i + 2], zero = int_imm(0);
  const Scalar reached = w.padding[i] == 0 ? at : at + int_imm(w.padding[i]);
  if (visited_taps(w, b, i) == taps) {
    const Scalar spread = reached - visit * int_imm(w.dilation[i]);
    const Scalar place = w.strides[i] == 1 ? spread : floor_div(spread, stride);
    Scalar here = both(at_least(spread, zero), less(place, size));
    if (w.strides[i] != 1) here = both(here, equals(floor_mod(spread, stride), zero));
    return {place, visit, here};
  }
  const int64_t count = *find_int(taps);
  const bool needs_one = count <= w.strides[i], covers = w.padding[i] + w.padding[i + w.strides.size()] == 0;
  const Scalar place = needs_one ? floor_div(reached, stride) : floor_div(reached, stride) - visit;
  const Scalar tap = needs_one ? floor_mod(reached, stride) : floor_mod(reached, stride) + visit * stride;
  Scalar here;
  const auto require = [&](const Scalar& condition) { here = here ? both(here, condition) : condition; };
  if (!needs_one) require(at_least(place, zero));
  if (!needs_one || !covers || w.more[i] != 0) require(less(place, size));
  if (count % w.strides[i] != 0) require(less(tap, taps));
  return {place, tap, here};
}

template <size_t kSpatial>
Ref<BaseFunc> lower_transposed(const Call& call) {
  InferInput in = input_of(call);
  Window w(in, conv_letters<kSpatial, true>(), kSpatial, true);
  KernelBuilder k(in.op.name().substr(3));
  Kernel b{
      k.input("data", call.args[0]->type), k.input("weight", call.args[1]->type), k.output("conv", call.type), {}, {}};
  b.data = w.data.canonical_sizes(b.x->shape);
  b.taps = w.kernel.canonical_sizes(b.weight->shape);
  Analyzer analyzer;
  const Scalar per_group = analyzer.simplify(w.groups == 1 ? b.data[1] : floor_div(b.data[1], int_imm(w.groups)));
  const auto is_one = [](const Scalar& s) { return find_int(s) && *find_int(s) == 1; };
  const bool is_depthwise = w.groups != 1 && is_one(per_group) && is_one(b.taps[1]);
  std::vector<Scalar> extents{per_group};
  for (size_t i = 0; i < kSpatial; ++i) extents.push_back(visited_taps(w, b, i));
  k.reduce(b.y, "conv", extents, summed(b.y->dtype), [&](const Indices& own, const Indices& r) {
    Indices at = w.out.canonical_indices(own);
    const Scalar channel = w.groups == 1 ? r[0] : is_depthwise ? at[1] : floor_div(at[1], b.taps[1]) * per_group + r[0];
    const Scalar own_channel = w.groups == 1 ? at[1] : is_depthwise ? r[0] : floor_mod(at[1], b.taps[1]);
    Indices from{at[0], channel}, tap{channel, own_channel};
    Scalar reached;
    for (size_t i = 0; i < kSpatial; ++i) {
      const Gathered g = gathered(w, b, i, at[i + 2], r[i + 1]);
      if (g.is_there) reached = reached ? both(reached, g.is_there) : g.is_there;
      from.push_back(g.place);
      tap.push_back(g.tap);
    }
    // Where no input contributes, 0 is added rather than 0 * weight, which is NaN for an infinite weight.
    Scalar added = widened(load(b.x, w.data.indices(from)), b.y->dtype) *
                   widened(load(b.weight, w.kernel.indices(tap)), b.y->dtype);
    return reached ? choose(reached, added, constant(b.y->dtype, 0)) : added;
  });
  return std::move(k).finish();
}

// Draws a convolution with `kSpatial` spatial axes, with random groups, strides, padding and dilation.
template <int kSpatial>
OpSample sample_conv(Sampler& s) {
  const int64_t groups = s.between(1, 2), channels = groups * s.between(1, 2), filters = groups * s.between(1, 2);
  Dims data = sizes({s.between(1, 2), channels}), kernel = sizes({filters, channels / groups});
  std::vector<int64_t> strides, padding, dilation;
  for (int i = 0; i < kSpatial; ++i) {
    data.push_back(int_imm(s.between(5, 7)));
    kernel.push_back(int_imm(s.between(1, 3)));
    strides.push_back(s.between(1, 2));
    dilation.push_back(s.between(1, 2));
  }
  for (int i = 0; i < 2 * kSpatial; ++i) padding.push_back(s.between(0, 2));
  Expr x = s.tensor({.dims = data});
  // Where padding leaves nothing to multiply, kernels may multiply by 0, which infinite weights would show.
  const bool is_padded = std::ranges::any_of(padding, [](int64_t p) { return p != 0; });
  return {{x, s.beside(x, kernel, is_padded ? Values::Finite : Values::Any)},
          {{"strides", AttrValue::ints(strides)},
           {"padding", AttrValue::ints(padding)},
           {"dilation", AttrValue::ints(dilation)},
           {"groups", groups}}};
}

template <int kSpatial>
OpSample sample_transposed(Sampler& s) {
  const int64_t groups = s.between(1, 2);
  Dims data = sizes({s.between(1, 2), groups * 2}), kernel = sizes({groups * 2, s.between(1, 2)});
  std::vector<int64_t> strides, padding, dilation, more;
  for (int i = 0; i < kSpatial; ++i) {
    data.push_back(int_imm(s.between(2, 4)));
    kernel.push_back(int_imm(s.between(2, 3)));
    strides.push_back(s.between(1, 2));
    dilation.push_back(s.between(1, 2));
    more.push_back(s.between(0, strides.back() - 1));
  }
  for (int i = 0; i < 2 * kSpatial; ++i) padding.push_back(s.between(0, 1));
  Expr x = s.tensor({.dims = data, .values = Values::Finite});  // both, as between steps there is nothing to multiply
  return {{x, s.beside(x, kernel, Values::Finite)},
          {{"strides", AttrValue::ints(strides)},
           {"padding", AttrValue::ints(padding)},
           {"dilation", AttrValue::ints(dilation)},
           {"output_padding", AttrValue::ints(more)},
           {"groups", groups}}};
}

template <size_t kSpatial, bool kTransposed>
void register_conv(OpTable& ops) {
  Letters names = conv_letters<kSpatial, kTransposed>();
  std::vector<OpParam> params{
      {"data", "tensor in data_layout (C1, C2, C6, C8)"},
      {"weight", "tensor in kernel_layout (C1, C2, C6, C8)"},
      ints_param("strides", "the step from one window to the next (C4)", 1),
      ints_param("padding", "zeros before and behind: one value, one for each axis, or all (C4)", 0)};
  if (kTransposed) params.push_back(ints_param("output_padding", "what is added to the size behind (C9)", 0));
  params.push_back(ints_param("dilation", "the step within a window (C4)", 1));
  params.push_back(int_param("groups", "channels are split into so many independent groups (C5, C7)", 1));
  params.push_back(string_param("data_layout", "the order of data's axes (C3)", names.data.c_str()));
  params.push_back(string_param("kernel_layout", "the order of the kernel's axes (C3)", names.kernel.c_str()));
  params.push_back(string_param("out_layout", "the order of the result's axes; None: data_layout (C3)", AttrValue()));
  params.push_back(dtype_param("out_dtype", "the dtype to accumulate and give; None: the operands'", AttrValue()));
  std::vector<std::string> constraints{"C1: ranks are those of the layouts",
                                       "C2: both dtypes are the same, unless out_dtype is given",
                                       "C3: layouts have the letters of the default ones",
                                       "C4: strides and dilation at least 1, padding at least 0, as many as axes",
                                       "C5: groups is at least 1",
                                       "C6: data has the channels that the kernel takes",
                                       "C7: channels divide into the groups",
                                       "C8: no dimension of the result is below 0"};
  if (kTransposed) constraints.push_back("C9: output_padding is below the stride");
  ops.add({.name = fmt::format("nn.conv{}d{}", kSpatial, kTransposed ? "_transpose" : ""),
           .summary = kTransposed ? "The transposed convolution: each input spreads the kernel over its neighbourhood."
                                  : "The convolution (cross-correlation) of data with a kernel.",
           .params = std::move(params),
           .constraints = std::move(constraints),
           .infer = infer_conv<kSpatial, kTransposed>,
           .lower = kTransposed ? lower_transposed<kSpatial> : lower_conv<kSpatial>,
           .canonical = canonical_conv<kSpatial, kTransposed>,
           .fuse = Fuse::Anchor,
           .precision = Precision::Half,
           .layout = layout_convolution,
           .sample = kTransposed ? sample_transposed<kSpatial> : sample_conv<kSpatial>});
}

}  // namespace

void register_convolution_ops(OpTable& ops) {
  register_conv<1, false>(ops);
  register_conv<2, false>(ops);
  register_conv<3, false>(ops);
  register_conv<1, true>(ops);
  register_conv<2, true>(ops);
  register_conv<3, true>(ops);
}

}  // namespace sunmao
