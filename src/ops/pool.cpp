// Pooling in any layout: the maximum, its index, or the mean over windows; the maximum or the mean over adaptive
// windows.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "ops/axis_layout.h"
#include "ops/layout_rule.h"
#include "ops/ops.h"
#include "ops/pool_window.h"
#include "ops/samples/sampler.h"
#include "ops/statements.h"

namespace sunmao {
namespace {

template <size_t kSpatial>
std::string pool_letters() {
  return std::string("NC") + (kSpatial == 1 ? "W" : kSpatial == 2 ? "HW" : "DHW");
}

template <size_t kSpatial>
void canonical_pool(std::vector<Expr>&, AttrMap& attrs) {
  for (const char* name : {"pool_size", "strides", "dilation"}) repeat_value(attrs, name, kSpatial);
  mirror_padding(attrs, kSpatial);
  default_layout(attrs, "out_layout", "layout");
}

template <size_t kSpatial>
Type infer_pool(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  Pool p(in, pool_letters<kSpatial>(), kSpatial);
  need_layout_rank(in, 0, p.data);  // C1
  if (!written(x)) return TensorType::make_unknown(x.dtype, p.out.rank(), x.vdevice);
  std::vector<Scalar> dims = p.data.canonical_sizes(*written(x));
  dims = pooled_sizes(in, p, std::move(dims));  // C4
  return TensorType::make(p.out.sizes(dims, in.analyzer()), x.dtype, x.vdevice);
}

// Returns windows along one axis.
Pool along(const Pool& p, size_t axis) {
  Pool out = p;
  const size_t spatial = p.size.size();
  for (size_t i = 0; i < spatial; ++i) {
    if (i == axis) continue;
    out.size[i] = out.strides[i] = out.dilation[i] = 1;
    out.padding[i] = out.padding[i + spatial] = 0;
  }
  if (p.rounds_up) out.padding[axis + spatial] = std::max<int64_t>(1, out.padding[axis + spatial]);  // may end outside
  out.rounds_up = false;
  return out;
}

// Returns the axes, last one first, along which the largest elements are better found one after the other; none where
// all taps together are fewer, as for windows of 3 x 3.
std::vector<size_t> separate_axes(const Pool& p) {
  constexpr int64_t kTaps = 5, kSeparate = 3;  // a tap of a line costs as much as so many parts of one
  std::vector<size_t> axes;
  int64_t direct = 1, separate = 0, windows = 1;
  for (size_t i = 0; i < p.size.size(); ++i) {
    separate += windows * p.size[i];
    windows *= p.strides[i];
    direct *= p.size[i];
    if (p.size[i] > 1) axes.insert(axes.begin(), i);
  }
  return separate * kTaps < direct * kSeparate ? axes : std::vector<size_t>();
}

template <size_t kSpatial>
Ref<BaseFunc> lower_max_pool(const Call& call) {
  InferInput in = input_of(call);
  const Pool p(in, pool_letters<kSpatial>(), kSpatial);
  KernelBuilder k(in.op.name().substr(3));
  Ref<Buffer> x = k.input("data", call.args[0]->type), y = k.output("pool_max", call.type);
  std::vector<Scalar> sizes = p.data.canonical_sizes(x->shape);
  const auto largest_of = [&](const Pool& windows, const Ref<Buffer>& from, const AxisLayout& layout,
                              const Ref<Buffer>& to) {
    k.reduce(to, to->name, taps_of(windows), largest(y->dtype), [&](const Indices& own, const Indices& r) {
      Tap tap = tap_of(windows, p.out.canonical_indices(own), r, sizes);
      Scalar value = load(from, layout.indices(tap.from));
      return tap.inside ? choose(tap.inside, value, lowest_of(y->dtype)) : value;
    });
  };
  std::vector<size_t> axes = separate_axes(p);
  const std::vector<Scalar> all = p.out.canonical_sizes(y->shape);
  Ref<Buffer> from = x;
  while (axes.size() > 1) {
    std::vector<Scalar> after = sizes;
    after[axes.front() + 2] = all[axes.front() + 2];
    const Ref<Buffer> lines = k.alloc("largest", y->dtype, p.out.sizes(after, in.analyzer()));
    largest_of(along(p, axes.front()), from, from == x ? p.data : p.out, lines);
    sizes = std::move(after);
    from = lines;
    axes.erase(axes.begin());
  }
  largest_of(axes.empty() ? p : along(p, axes.front()), from, from == x ? p.data : p.out, y);
  return std::move(k).finish();
}

template <size_t kSpatial>
Type infer_pool_indices(const InferInput& in) {
  return with_dtype(*find<TensorType>(infer_pool<kSpatial>(in)), DType::int_(64));
}

// Accumulates over the taps the index of the largest element so far, counted within its channel; the first of equal
// elements wins.
void find_largest(KernelBuilder& k, const Ref<Buffer>& x, const Ref<Buffer>& y, const AxisLayout& data,
                  const std::vector<Scalar>& sizes, const std::vector<Scalar>& taps,
                  const std::function<Tap(const Indices& own, const Indices& r)>& tap_at) {
  const std::vector<Scalar> plane(sizes.begin() + 2, sizes.end());
  k.compute(y, "none_yet", [](const Indices&) { return int_imm(-1); });
  k.accumulate(y, "pool_indices", taps, [&](const Indices& own, const Indices& r, const Scalar& old) {
    const Tap tap = tap_at(own, r);
    Scalar place = int_imm(0);
    for (size_t i = 0; i < plane.size(); ++i) place = place * plane[i] + tap.from[i + 2];
    Indices best{tap.from[0], tap.from[1]};
    std::ranges::copy(split_index(old, plane), std::back_inserter(best));
    Scalar larger = stands_before(load(x, data.indices(tap.from)), load(x, data.indices(best)), true);
    Scalar taken = choose(or_else(less(old, int_imm(0)), larger), place, old);
    return tap.inside ? choose(tap.inside, taken, old) : taken;
  });
}

template <size_t kSpatial>
Ref<BaseFunc> lower_max_pool_indices(const Call& call) {
  InferInput in = input_of(call);
  Pool p(in, pool_letters<kSpatial>(), kSpatial);
  KernelBuilder k(in.op.name().substr(3));
  Ref<Buffer> x = k.input("data", call.args[0]->type), y = k.output("pool_indices", call.type);
  const std::vector<Scalar> sizes = p.data.canonical_sizes(x->shape);
  find_largest(k, x, y, p.data, sizes, taps_of(p),
               [&](const Indices& own, const Indices& r) { return tap_of(p, p.out.canonical_indices(own), r, sizes); });
  return std::move(k).finish();
}

// Integers of few bits are added up in 32 bits, for a sum that is divided afterwards to fit.
DType sum_dtype(DType dtype) {
  const bool is_number = dtype.is_int() || dtype.is_uint();
  return is_number && dtype.bits < 32 ? DType::int_(32) : dtype;
}

template <size_t kSpatial>
Ref<BaseFunc> lower_avg_pool(const Call& call) {
  InferInput in = input_of(call);
  Pool p(in, pool_letters<kSpatial>(), kSpatial);
  KernelBuilder k(in.op.name().substr(3));
  Ref<Buffer> x = k.input("data", call.args[0]->type), y = k.output("pool_avg", call.type);
  std::vector<Scalar> sizes = p.data.canonical_sizes(x->shape);
  const DType wide = sum_dtype(y->dtype);
  Ref<Buffer> sum = k.alloc("pool_sum", wide, y->shape);
  k.reduce(sum, "pool_sum", taps_of(p), summed(wide), [&](const Indices& own, const Indices& r) {
    Tap tap = tap_of(p, p.out.canonical_indices(own), r, sizes);
    Scalar value = cast_to(wide, load(x, p.data.indices(tap.from)));
    return tap.inside ? choose(tap.inside, value, constant(wide, 0)) : value;
  });
  bool with_padding = in.bool_attr("count_include_pad");
  k.compute(y, "pool_avg", [&](const Indices& own) {
    Scalar count = counted(p, p.out.canonical_indices(own), sizes, with_padding);
    return cast_to(y->dtype, divide(load(sum, own), cast_to(wide, in.analyzer().simplify(count))));
  });
  return std::move(k).finish();
}

template <size_t kSpatial>
void canonical_adaptive(std::vector<Expr>&, AttrMap& attrs) {
  repeat_value(attrs, "output_size", kSpatial);
  default_layout(attrs, "out_layout", "layout");
}

template <size_t kSpatial>
Type infer_adaptive(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  AxisLayout data = AxisLayout::of_attr(in, "layout", pool_letters<kSpatial>()),
             out = AxisLayout::of_attr(in, "out_layout", pool_letters<kSpatial>());  // C2
  need_layout_rank(in, 0, data);                                                     // C1
  bool given = !in.attr("output_size").is_none();
  std::vector<int64_t> sizes;
  if (given) sizes = spatial_attr(in, "output_size", kSpatial, 1);  // C3
  if (!written(x)) {
    if (!given && x.shape && in.string_attr("layout") == in.string_attr("out_layout")) return in.type(0);
    return TensorType::make_unknown(x.dtype, out.rank(), x.vdevice);
  }
  std::vector<Scalar> dims = data.canonical_sizes(*written(x));
  for (size_t i = 0; i < sizes.size(); ++i) dims[i + 2] = int_imm(sizes[i]);
  return TensorType::make(out.sizes(dims, in.analyzer()), x.dtype, x.vdevice);
}

// The windows of adaptive pooling: output o of n pools the inputs from floor(o * size / n) up to, excluding,
// ceil((o + 1) * size / n).
class AdaptiveWindows {
 public:
  AdaptiveWindows(const InferInput& in, const char* names, const Ref<Buffer>& x, const Ref<Buffer>& y)
      : data_(AxisLayout::of_attr(in, "layout", names)), out_(AxisLayout::of_attr(in, "out_layout", names)),
        sizes_(data_.canonical_sizes(x->shape)), wanted_(out_.canonical_sizes(y->shape)) {
    for (size_t i = 2; i < sizes_.size(); ++i) {
      const Scalar rest = in.analyzer().simplify(floor_mod(sizes_[i], wanted_[i]));
      const bool is_even = find_int(rest) && *find_int(rest) == 0;
      const Scalar share = floor_div(sizes_[i], wanted_[i]);
      extents_.push_back(in.analyzer().simplify(is_even ? share : share + int_imm(2)));
    }
  }

  /// The input that an output reads at place `r` of its window, and whether that is inside of the window.
  Tap tap(const Indices& own, const Indices& r) const {
    const Indices at = out_.canonical_indices(own);
    Tap tap{{at[0], at[1]}, less(int_imm(0), int_imm(1))};
    for (size_t i = 2; i < sizes_.size(); ++i) {
      tap.from.push_back(begin(at, i) + r[i - 2]);
      tap.inside = both(tap.inside, less(tap.from.back(), end(at, i)));
    }
    return tap;
  }
  Scalar count(const Indices& own) const {
    const Indices at = out_.canonical_indices(own);
    Scalar count = int_imm(1);
    for (size_t i = 2; i < sizes_.size(); ++i) count = count * (end(at, i) - begin(at, i));
    return count;
  }
  const std::vector<Scalar>& extents() const { return extents_; }
  const std::vector<Scalar>& sizes() const { return sizes_; }
  const AxisLayout& data() const { return data_; }

 private:
  Scalar begin(const Indices& at, size_t i) const { return floor_div(at[i] * sizes_[i], wanted_[i]); }
  Scalar end(const Indices& at, size_t i) const {
    return floor_div((at[i] + int_imm(1)) * sizes_[i] + wanted_[i] - int_imm(1), wanted_[i]);
  }

  const AxisLayout data_, out_;
  const std::vector<Scalar> sizes_, wanted_;
  std::vector<Scalar> extents_;
};

template <size_t kSpatial, bool kMax>
Ref<BaseFunc> lower_adaptive(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k(in.op.name().substr(3));
  const char* block = kMax ? "adaptive_pool_max" : "adaptive_pool_avg";
  Ref<Buffer> x = k.input("data", call.args[0]->type), y = k.output(block, call.type);
  const AdaptiveWindows windows(in, pool_letters<kSpatial>().c_str(), x, y);
  auto reduce = [&](const Ref<Buffer>& to, const char* name, const KernelBuilder::Reduction& reduction) {
    k.reduce(to, name, windows.extents(), reduction, [&](const Indices& own, const Indices& r) {
      const Tap tap = windows.tap(own, r);
      return choose(tap.inside, cast_to(to->dtype, load(x, windows.data().indices(tap.from))), reduction.init);
    });
  };
  if (kMax) {
    reduce(y, block, largest(y->dtype));
    return std::move(k).finish();
  }
  const DType wide = sum_dtype(y->dtype);
  Ref<Buffer> sum = k.alloc("adaptive_pool_sum", wide, y->shape);
  reduce(sum, "adaptive_pool_sum", summed(wide));
  k.compute(y, block, [&](const Indices& own) {
    return cast_to(y->dtype, divide(load(sum, own), cast_to(wide, windows.count(own))));
  });
  return std::move(k).finish();
}

template <size_t kSpatial>
Ref<BaseFunc> lower_adaptive_indices(const Call& call) {
  KernelBuilder k(op_of(call)->name().substr(3));
  Ref<Buffer> x = k.input("data", call.args[0]->type), y = k.output("pool_indices", call.type);
  const AdaptiveWindows windows(input_of(call), pool_letters<kSpatial>().c_str(), x, y);
  find_largest(k, x, y, windows.data(), windows.sizes(), windows.extents(),
               [&](const Indices& own, const Indices& r) { return windows.tap(own, r); });
  return std::move(k).finish();
}

template <size_t kSpatial>
Type infer_adaptive_indices(const InferInput& in) {
  return with_dtype(*find<TensorType>(infer_adaptive<kSpatial>(in)), DType::int_(64));
}

template <int kSpatial, bool kIsMax>
OpSample sample_pool(Sampler& s) {
  Dims data = sizes({s.between(1, 2), s.between(1, 3)});
  std::vector<int64_t> window, strides, padding;
  for (int i = 0; i < kSpatial; ++i) {
    data.push_back(int_imm(s.between(4, 6)));
    window.push_back(s.between(1, 3));
    strides.push_back(s.between(1, 2));
  }
  for (int i = 0; i < 2 * kSpatial; ++i) padding.push_back(s.between(0, window[static_cast<size_t>(i % kSpatial)] / 2));
  OpSample sample{{s.tensor({.dims = data})},
                  {{"pool_size", AttrValue::ints(window)},
                   {"strides", AttrValue::ints(strides)},
                   {"padding", AttrValue::ints(padding)},
                   {"ceil_mode", s.chance(30)}}};
  if (kIsMax) sample.attrs["dilation"] = s.between(1, 2);
  if (!kIsMax) sample.attrs["count_include_pad"] = s.chance(50);
  return sample;
}

template <int kSpatial>
OpSample sample_adaptive(Sampler& s) {
  std::vector<int64_t> size;
  for (int i = 0; i < kSpatial; ++i) size.push_back(s.between(1, 3));
  return {{s.image(kSpatial)}, {{"output_size", AttrValue::ints(size)}}};
}

template <size_t kSpatial>
OpInfo pool_op(const char* name, const char* summary, bool counts_padding) {
  std::string names = pool_letters<kSpatial>();
  return {
      .name = fmt::format(fmt::runtime(name), kSpatial),
      .summary = summary,
      .params = {{"data", "tensor in `layout` (C1, C4)"},
                 ints_param("pool_size", "the size of the windows (C3, C4)", 1),
                 ints_param("strides", "the step from one window to the next (C3)", 1),
                 ints_param("padding", "before and behind: one value, one for each axis, or all (C3)", 0),
                 ints_param("dilation", "the step within a window (C3)", 1),
                 bool_param("ceil_mode", "a window that begins in the tensor counts, though it ends outside", false),
                 bool_param("count_include_pad", "padding counts in a mean", counts_padding),
                 string_param("layout", "the order of data's axes (C2)", names.c_str()),
                 string_param("out_layout", "the order of the result's axes; None: layout (C2)", AttrValue())},
      .constraints = {"C1: the rank is that of the layout", "C2: layouts have the letters of the default one",
                      "C3: sizes, strides and dilation at least 1, padding at least 0, as many as axes",
                      "C4: no dimension of the result is below 0"},
      .infer = infer_pool<kSpatial>,
      .canonical = canonical_pool<kSpatial>,
      .fuse = Fuse::Reduce,
      .precision = Precision::Follow,
      .layout = layout_pool,
      .sample = sample_pool<kSpatial, true>};
}

template <size_t kSpatial>
void register_dimension(OpTable& ops) {
  std::string names = pool_letters<kSpatial>();
  OpInfo max_pool = pool_op<kSpatial>("nn.max_pool{}d", "The largest element of each window.", false);
  max_pool.lower = lower_max_pool<kSpatial>;
  ops.add(std::move(max_pool));
  constexpr bool kCountsPadding = kSpatial != 2;  // defaults of upstream (TVM)
  OpInfo avg_pool = pool_op<kSpatial>("nn.avg_pool{}d", "The mean of each window.", kCountsPadding);
  avg_pool.lower = lower_avg_pool<kSpatial>;
  avg_pool.sample = sample_pool<kSpatial, false>;
  ops.add(std::move(avg_pool));
  OpInfo places = pool_op<kSpatial>(
      "nn.max_pool{}d_indices", "Where the largest element of each window stands, counted within its channel.", false);
  places.infer = infer_pool_indices<kSpatial>;
  places.lower = lower_max_pool_indices<kSpatial>;
  places.fuse = Fuse::Opaque;
  places.precision = Precision::Keep;
  ops.add(std::move(places));
  const auto adaptive = [&](const char* name, const char* summary, LowerFn lower) {
    return OpInfo{
        .name = fmt::format(fmt::runtime(name), kSpatial),
        .summary = summary,
        .params = {{"data", "tensor in `layout` (C1)"},
                   ints_param("output_size", "how many parts; None: as many as elements (C3)", AttrValue()),
                   string_param("layout", "the order of data's axes (C2)", names.c_str()),
                   string_param("out_layout", "the order of the result's axes; None: layout (C2)", AttrValue())},
        .constraints = {"C1: the rank is that of the layout", "C2: layouts have the letters of the default one",
                        "C3: one part at least, for each axis"},
        .infer = infer_adaptive<kSpatial>,
        .lower = lower,
        .canonical = canonical_adaptive<kSpatial>,
        .fuse = Fuse::Reduce,
        .precision = Precision::Follow,
        .layout = layout_pool,
        .sample = sample_adaptive<kSpatial>};
  };
  ops.add(adaptive("nn.adaptive_max_pool{}d",
                   "The largest elements of windows that divide each axis into so many parts.",
                   lower_adaptive<kSpatial, true>));
  ops.add(adaptive("nn.adaptive_avg_pool{}d", "The means of windows that divide each axis into so many parts.",
                   lower_adaptive<kSpatial, false>));
  OpInfo adaptive_places = adaptive("nn.adaptive_max_pool{}d_indices",
                                    "Where the largest elements of such windows stand, counted within their channel.",
                                    lower_adaptive_indices<kSpatial>);
  adaptive_places.infer = infer_adaptive_indices<kSpatial>;
  adaptive_places.fuse = Fuse::Opaque;
  adaptive_places.precision = Precision::Keep;
  ops.add(std::move(adaptive_places));
}

}  // namespace

void register_pool_ops(OpTable& ops) {
  register_dimension<1>(ops);
  register_dimension<2>(ops);
  register_dimension<3>(ops);
}

}  // namespace sunmao
