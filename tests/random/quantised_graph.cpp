#include "tests/random/quantised_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/random/quantised_products.h"

namespace sunmao {
namespace {

constexpr int64_t kMostNumbers = 12'000;

class GraphWriter final : public ProductWriter {
 public:
  using ProductWriter::ProductWriter;

  Module write(QuantisedGraph& out) {
    const bool is_last = s_.chance(30);
    const auto axes = static_cast<size_t>(s_.one_of(Shape64{0, 0, 1, 2, 2, 2, 2, 3}));
    live_.push_back(input(axes, is_last));
    if (s_.chance(15)) live_.push_back(input(axes, is_last));
    const int64_t ops = s_.between(1, 5);
    for (int64_t i = 0; i < ops; ++i) {
      const NumberTensor x = s_.chance(75) ? live_.back() : s_.one_of(live_);
      live_.push_back(s_.chance(i == 0 ? 85 : 50) ? product(x) : between(x));
    }
    give(live_.back());
    if (s_.chance(30)) give(s_.one_of(live_));
    return finished(out);
  }

 private:
  NumberTensor input(size_t axes, bool is_last) {
    NumberTensor x{.numbers = {}, .shape = {}, .known = {}, .is_spatial = axes > 0, .is_last = axes > 0 && is_last};
    std::vector<bool> is_free;
    const auto add = [&](int64_t size, size_t chance_of_symbol) {
      x.shape.push_back(size);
      is_free.push_back(s_.chance(chance_of_symbol));
    };
    const int64_t channels = s_.one_of(Shape64{1, 3, 4, 5, 8, 16, 16, 17, 24, 30, 32, 48, 64});
    const int64_t rank = s_.one_of(Shape64{1, 2, 2, 2, 3, 3, 4});
    if (axes > 0) {
      add(s_.between(1, 2), 60);
      if (!is_last) add(channels, 0);
      for (size_t i = 0; i < axes; ++i) add(s_.between(3, axes == 1 ? 20 : axes == 2 ? 9 : 4), 50);
      if (is_last) add(channels, 0);
    } else {
      for (int64_t i = 1; i < rank; ++i) add(s_.between(1, i + 1 == rank ? 20 : 3), 50);
      add(s_.one_of(Shape64{4, 16, 17, 32, 33, 63, 64, 100, 128, 256, 512}), 0);
    }
    const bool are_bytes = s_.chance(45) && !style_.is_dynamic;
    return are_bytes ? input_of_bytes(x, is_free) : input_of_numbers(x, is_free);
  }

  NumberTensor input_of_bytes(const NumberTensor& x, const std::vector<bool>& is_free) {
    const DType dtype = byte_dtype();
    const double scale = scale_near(0.02);
    QuantisedBytes q = grid(dtype, scale, zero_point(dtype));
    const auto [low, high] = range_of(dtype);
    q.values = param(dtype, x.shape, is_free, bytes(x.count(), low, high));
    return dequantised(q, x);
  }

  // Multiples of halves of a step give ties.
  NumberTensor input_of_numbers(NumberTensor x, const std::vector<bool>& is_free) {
    constexpr int kStep = -7;
    const double unit = style_.has_powers ? std::ldexp(1, kStep) : 0.0055;
    const bool has_ties = s_.chance(40) || style_.has_powers;
    std::vector<double> values(static_cast<size_t>(x.count()));
    for (double& v : values) {
      const double within = static_cast<double>(s_.below(1000)) / 1000;
      v = (static_cast<double>(s_.between(-200, 200)) + (has_ties ? 0 : within)) * unit;
    }
    x.numbers = param(DType::float_(32), x.shape, is_free, values);
    x.known = {.accuracy = Accuracy::Exact, .step = kStep, .bound = 200 * unit, .size = 120 * unit};
    if (!style_.has_powers) x.known.accuracy = Accuracy::Close;
    return style_.quantises_data_only ? x : requantised(x);
  }

  /// What stands between products; the tensor itself where an op does not take it.
  NumberTensor between(const NumberTensor& x) {
    const size_t kind = s_.below(12);
    if (kind == 11 && x.rank() >= 2 && !x.is_spatial) return attended(x);
    if (kind == 10 && x.rank() >= 2 && !x.is_spatial && !is_symbolic_)
      return crossed(x, s_.one_of(beside(x, x.rank())));
    return kind < 3 ? added(x) : kind < 8 ? moved(x) : summed(x);
  }

  /// Tensors of the graph that have the same axes, and the same sizes but along `axis`.
  std::vector<NumberTensor> beside(const NumberTensor& x, size_t axis) {
    std::vector<NumberTensor> out;
    for (const NumberTensor& y : live_) {
      if (y.rank() != x.rank() || y.is_spatial != x.is_spatial || y.is_last != x.is_last) continue;
      Shape64 shape = y.shape;
      if (axis < x.rank()) shape[axis] = x.shape[axis];
      if (shape == x.shape && !is_symbolic_) out.push_back(y);
    }
    return out.empty() ? std::vector{x} : out;
  }

  static Numbers of_both(const Numbers& x, const Numbers& y, double bound, double size) {
    return Numbers{
        .accuracy = std::max(x.accuracy, y.accuracy), .step = std::min(x.step, y.step), .bound = bound, .size = size}
        .checked();
  }

  NumberTensor added(const NumberTensor& x) {
    const NumberTensor y = s_.one_of(beside(x, x.rank()));
    NumberTensor out = x;
    out.numbers = call("add", {x.numbers, y.numbers});
    out.known = of_both(x.known, y.known, x.known.bound + y.known.bound, std::hypot(x.known.size, y.known.size));
    if (s_.chance(50)) out.numbers = call("nn.relu", {out.numbers});
    // Some targets round a product and a sum once, unless what they give is quantised.
    has_sums_of_floats_ |= style_.quantises_data_only;
    return after_op(out);
  }

  /// Moves elements, or takes the highest of some, before or after they are dequantised.
  NumberTensor moved(const NumberTensor& x) {
    NumberTensor y = x;
    const bool is_of_bytes = s_.chance(25) && x.bytes;
    const bool keeps_scale = s_.chance(75) && x.bytes, stays_float = s_.chance(50);
    const Expr to = moved(x, is_of_bytes ? x.bytes->values : x.numbers, is_of_bytes, y);
    if (!to || y.count() > kMostNumbers) return x;
    if (is_of_bytes) {
      QuantisedBytes q = *x.bytes;
      q.values = to;
      return dequantised(q, y);
    }
    y.numbers = to;
    y.bytes.reset();
    if (style_.quantises_data_only || (!style_.quantises_all && stays_float)) return y;
    return keeps_scale ? requantised_like(y, *x.bytes) : requantised(y);
  }

  Expr moved(const NumberTensor& x, const Expr& from, bool is_of_bytes, NumberTensor& y) {
    const size_t axis = x.channel_axis(), any_axis = s_.below(x.rank());
    const int64_t n = x.shape[axis], along = static_cast<int64_t>(axis),
                  cut = s_.between(1, std::max<int64_t>(1, n - 1));
    switch (s_.below(7)) {
      case 0: return x.is_spatial ? pooled("max", from, is_of_bytes, y) : nullptr;
      case 1:
        if (is_symbolic_ || x.rank() < 2) return nullptr;
        y.shape = {x.shape[0], x.count() / x.shape[0]};
        y.is_spatial = y.is_last = false;
        return reshape(from, y.shape);
      case 2: return x.rank() < 2 ? nullptr : permuted(x, from, y);
      case 3: {
        const auto tuple = [](int64_t v) { return Tuple::make({PrimValue::make(int_imm(v))}); };
        const int64_t begin = s_.between(0, n - cut);
        y.shape[axis] = cut;
        return call("strided_slice", {from, tuple(along), tuple(begin), tuple(begin + cut)});
      }
      case 4: {
        const bool is_first = s_.chance(50);
        if (n < 2) return nullptr;
        const Expr parts = call("split", {from}, {{"indices_or_sections", AttrValue::ints({cut})}, {"axis", along}});
        y.shape[axis] = is_first ? cut : n - cut;
        return b_.emit(TupleGetItem::make(parts, is_first ? 0 : 1));
      }
      case 5: {
        Shape64 widths(2 * x.rank(), 0);
        widths[2 * any_axis] = s_.between(0, 2);
        widths[2 * any_axis + 1] = s_.between(0, 2);
        y.shape[any_axis] += widths[2 * any_axis] + widths[2 * any_axis + 1];
        const double value = is_of_bytes ? static_cast<double>(x.bytes->zero_value) : 0;
        return call("nn.pad", {from}, {{"pad_width", AttrValue::ints(widths)}, {"pad_value", value}});
      }
      default: {
        const NumberTensor other = is_of_bytes ? x : s_.one_of(beside(x, axis));
        y.shape[axis] += other.shape[axis];
        y.known = of_both(x.known, other.known, std::max(x.known.bound, other.known.bound),
                          std::max(x.known.size, other.known.size));
        return call("concat", {Tuple::make({from, is_of_bytes ? from : other.numbers})}, {{"axis", along}});
      }
    }
  }

  /// To the other order of the axes of images, or with the last two axes exchanged.
  Expr permuted(const NumberTensor& x, const Expr& from, NumberTensor& y) {
    Shape64 axes(x.rank());
    std::iota(axes.begin(), axes.end(), int64_t{0});
    if (x.is_spatial) {
      const int64_t channels = static_cast<int64_t>(x.channel_axis());
      std::erase(axes, channels);
      axes.insert(x.is_last ? axes.begin() + 1 : axes.end(), channels);
      y.is_last = !x.is_last;
    } else if (!is_symbolic_) {
      std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
    }
    for (size_t i = 0; i < axes.size(); ++i) y.shape[i] = x.shape[static_cast<size_t>(axes[i])];
    return call("permute_dims", {from}, {{"axes", AttrValue::ints(axes)}});
  }

  Expr pooled(const std::string& kind, const Expr& from, bool is_of_bytes, NumberTensor& y) {
    const size_t axes = y.rank() - 2, first = y.is_last ? 1 : 2;
    Shape64 sizes, strides, padding;
    for (size_t i = 0; i < axes; ++i) {
      int64_t& n = y.shape[first + i];
      const int64_t k = std::min<int64_t>(n, s_.between(1, 3)), step = s_.between(1, 2), around = s_.between(0, 1);
      sizes.push_back(k);
      strides.push_back(step);
      padding.push_back(k > 1 && !is_of_bytes ? around : 0);
      n = (n + 2 * padding.back() - k) / step + 1;
    }
    const Shape64 behind = padding;
    padding.insert(padding.end(), behind.begin(), behind.end());
    const std::string letters = spatial_letters(axes), layout = y.is_last ? "N" + letters + "C" : "NC" + letters;
    AttrMap attrs{{"pool_size", AttrValue::ints(sizes)},
                  {"strides", AttrValue::ints(strides)},
                  {"padding", AttrValue::ints(padding)},
                  {"layout", layout},
                  {"out_layout", layout}};
    if (kind == "avg") attrs["count_include_pad"] = s_.chance(60);
    return call(fmt::format("nn.{}_pool{}d", kind, axes), {from}, std::move(attrs));
  }

  /// Ops that sum in float32.
  NumberTensor summed(const NumberTensor& x) {
    NumberTensor y = x;
    has_sums_of_floats_ = true;
    y.known.accuracy = std::max(y.known.accuracy, Accuracy::Close);
    const size_t kind = s_.below(4);
    if (kind == 0 && x.is_spatial) {
      y.numbers = pooled("avg", x.numbers, false, y);
    } else if (kind == 1 && x.rank() >= 2) {
      averaged(x, y);
    } else if (kind == 2) {
      y.numbers = call("nn.softmax", {x.numbers}, {{"axis", int64_t{-1}}});
      y.known = {.accuracy = Accuracy::Loose, .bound = 1, .size = 0.3};
    } else {
      const auto n = static_cast<size_t>(x.shape.back());
      const auto vector = [&](double v) { return real_weight({x.shape.back()}, std::vector<double>(n, v)); };
      const Expr gamma = vector(1.25), beta = vector(0.125);
      y.numbers = call("nn.layer_norm", {x.numbers, gamma, beta}, {{"axes", AttrValue::ints({-1})}, {"epsilon", 1e-2}});
      y.known = {.accuracy = Accuracy::Loose, .bound = 100, .size = 1};
    }
    return after_op(y);
  }

  /// The mean over the axes of an image, or over the last but one.
  void averaged(const NumberTensor& x, NumberTensor& y) {
    const bool keeps = s_.chance(50) && x.is_spatial;
    Shape64 axes;
    y.shape.clear();
    for (size_t i = 0; i < x.rank(); ++i) {
      const bool is_summed = x.is_spatial ? i != 0 && i != x.channel_axis() : i + 2 == x.rank();
      if (is_summed) axes.push_back(static_cast<int64_t>(i));
      if (!is_summed || keeps) y.shape.push_back(is_summed ? 1 : x.shape[i]);
    }
    y.numbers = call("mean", {x.numbers}, {{"axis", AttrValue::ints(axes)}, {"keepdims", keeps}});
    y.is_spatial = x.is_spatial && keeps;
    y.is_last = x.is_last && keeps;
  }

  std::vector<NumberTensor> live_;
};

}  // namespace

QuantisedGraph quantised_graph(uint64_t seed) {
  QuantisedGraph out;
  out.every = GraphWriter(seed, QuantisedForm::Every).write(out);
  out.results = GraphWriter(seed, QuantisedForm::Results).write(out);
  out.reference = GraphWriter(seed, QuantisedForm::Reference).write(out);
  return out;
}

}  // namespace sunmao
