#include "tests/random/quantised_products.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace sunmao {
namespace {

// Of one op: the evaluator takes one product of numbers at a time.
constexpr int64_t kMostProducts = 400'000, kMostResults = 12'000;
constexpr double kTypicalByte = 73;  // the root mean square of those of int8

int64_t product_of(const Shape64& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

/// The numbers of equal parts of so many.
Shape64 parts_of(int64_t count) {
  Shape64 out;
  for (int64_t parts = 1; parts <= count; ++parts)
    if (count % parts == 0) out.push_back(parts);
  return out;
}

/// A number as a multiple of 2^step.
double on_grid(double x, int step) { return std::ldexp(std::round(std::ldexp(x, -step)), step); }

}  // namespace

ProductWriter::Weight ProductWriter::drawn_weight(const Shape64& shape, size_t axis, int64_t steps) {
  const bool is_signed = s_.chance(80) || style_.is_symmetric, is_each = s_.chance(60), is_narrow = s_.chance(50);
  const bool has_odd_point = s_.chance(10) && !style_.is_symmetric, has_points = s_.chance(30) && is_each;
  const DType dtype = is_signed ? DType::int_(8) : DType::uint(8);
  const auto [least, most] = range_of(dtype);
  const int64_t point = (is_signed ? 0 : 128) + (has_odd_point ? s_.between(-20, 20) : 0);
  const auto channels = static_cast<size_t>(shape[axis]), count = is_each ? channels : 1;
  const double base = 1 / (kTypicalByte * std::sqrt(static_cast<double>(steps)));
  Weight out{.numbers = {}, .scales = {}, .size = kTypicalByte * base};
  for (size_t i = 0; i < count; ++i) {
    const double scale = base * (0.5 + static_cast<double>(s_.below(1000)) / 1000);
    out.scales.push_back(static_cast<float>(style_.has_powers ? std::exp2(std::round(std::log2(scale))) : scale));
  }
  std::vector<double> values = bytes(product_of(shape), least + (is_narrow ? 1 : 0), most);
  const Shape64 of_scales = is_each ? Shape64{shape[axis]} : Shape64{};
  const Expr scale = constant(DType::float_(32), of_scales, out.scales);
  const Expr zero = constant(dtype, has_points ? of_scales : Shape64{},
                             std::vector<double>(has_points ? channels : 1, static_cast<double>(point)));
  const auto along = static_cast<int64_t>(axis);
  Expr q;
  if (style_.has_real_weights) {
    const auto inner = static_cast<size_t>(product_of({shape.begin() + along + 1, shape.end()}));
    for (size_t i = 0; i < values.size(); ++i) {
      const double between = style_.has_powers ? 0.5 : static_cast<double>(s_.below(100)) / 100;
      values[i] = (values[i] - static_cast<double>(point) + between) * out.scales[i / inner % count];
    }
    const Expr numbers = weight(DType::float_(32), shape, values);
    q = call("quantize", {numbers, scale, zero}, {{"axis", along}, {"out_dtype", dtype}});
  } else {
    q = weight(dtype, shape, values);
  }
  out.numbers = call("dequantize", {q, scale, zero}, {{"axis", along}, {"out_dtype", real_}});
  return out;
}

Numbers ProductWriter::of_sums(const NumberTensor& x, const Weight& w, int64_t steps) {
  const auto [least, most] = std::ranges::minmax(w.scales);
  const double root = std::sqrt(static_cast<double>(steps));
  const bool is_one_sided = s_.chance(60) && style_.is_extreme;
  return Numbers{.accuracy = style_.has_powers ? x.known.accuracy : std::max(x.known.accuracy, Accuracy::Close),
                 .step = x.known.step + static_cast<int>(std::floor(std::log2(least))),
                 .bound = x.known.bound * 255 * most * static_cast<double>(steps),
                 .size = x.known.size * w.size * root * (is_one_sided ? root : 1)}
      .checked();
}

NumberTensor ProductWriter::product(const NumberTensor& given) {
  const NumberTensor x = given.bytes ? given : requantised(given);
  return x.is_spatial ? convolution(x) : matmul(x);
}

NumberTensor ProductWriter::convolution(const NumberTensor& x) {
  const size_t axes = x.rank() - 2, first = x.is_last ? 1 : 2;
  const int64_t channels = x.shape[x.channel_axis()];
  int64_t groups = 1, results = s_.one_of(Shape64{1, 3, 4, 8, 10, 16, 16, 24, 32, 33, 64});
  const bool is_depthwise = s_.chance(12), is_grouped = s_.chance(20), is_one = s_.chance(25);
  if (is_depthwise) {
    groups = channels;
    results = channels * s_.between(1, 2);
  } else if (is_grouped) {
    groups = s_.one_of(parts_of(channels));
    results = groups * s_.between(1, 12);
  }
  Shape64 strides, dilation, sizes, before, behind, places;
  for (size_t i = 0; i < axes; ++i) {
    const int64_t n = x.shape[first + i], wished = is_one ? 1 : s_.between(1, 3);
    const int64_t step = s_.chance(70) ? 1 : 2, apart = s_.chance(85) ? 1 : 2, any = s_.between(0, 1);
    const int64_t k = (wished - 1) * apart + 1 > n ? 1 : wished;
    before.push_back(s_.chance(50) ? (k - 1) / 2 : any);
    behind.push_back(s_.chance(80) ? before.back() : s_.between(0, 2));
    strides.push_back(step);
    dilation.push_back(apart);
    sizes.push_back(k);
    places.push_back((n + before.back() + behind.back() - (k - 1) * apart - 1) / step + 1);
  }
  before.insert(before.end(), behind.begin(), behind.end());
  const int64_t steps = product_of(sizes) * (channels / groups), positions = product_of(places) * x.shape[0];
  if (steps * positions * results > kMostProducts || results * positions > kMostResults) return x;

  const std::string letters = spatial_letters(axes), layout = x.is_last ? "N" + letters + "C" : "NC" + letters;
  const std::string kernel =
      x.is_last ? s_.one_of(std::vector<std::string>{"O" + letters + "I", letters + "IO", "OI" + letters})
                : "OI" + letters;
  Shape64 shape;
  size_t spatial = 0;
  for (const char c : kernel) shape.push_back(c == 'O' ? results : c == 'I' ? channels / groups : sizes[spatial++]);
  const Weight w = drawn_weight(shape, kernel.find('O'), steps);
  NumberTensor y = x;
  y.bytes.reset();
  y.shape[y.channel_axis()] = results;
  std::ranges::copy(places, y.shape.begin() + static_cast<int64_t>(first));
  y.numbers = call(fmt::format("nn.conv{}d", axes), {x.numbers, w.numbers},
                   {{"strides", AttrValue::ints(strides)},
                    {"padding", AttrValue::ints(before)},
                    {"dilation", AttrValue::ints(dilation)},
                    {"groups", groups},
                    {"data_layout", layout},
                    {"kernel_layout", kernel},
                    {"out_layout", layout}});
  y.known = of_sums(x, w, steps);
  return activated(with_bias(y, w, x));
}

// A weight of rank 3 has the batch of the data, or one of its own where the data has none.
NumberTensor ProductWriter::matmul(const NumberTensor& x) {
  const int64_t steps = x.shape.back(), rows = x.count() / steps;
  const int64_t results = s_.one_of(Shape64{1, 3, 4, 8, 10, 16, 16, 24, 32, 33, 64, 100});
  const bool is_transposed = s_.chance(40), has_batch = s_.chance(20), has_own = x.rank() <= 2;
  const bool is_one = s_.chance(30) || is_symbolic_;
  const int64_t batch = has_own ? s_.between(1, 3) : is_one ? 1 : x.shape[x.rank() - 3];
  if (3 * rows * steps * results > kMostProducts || 3 * rows * results > kMostResults) return x;
  Shape64 shape = is_transposed ? Shape64{results, steps} : Shape64{steps, results};
  if (has_batch) shape.insert(shape.begin(), batch);
  Weight w = drawn_weight(shape, shape.size() - (is_transposed ? 2 : 1), steps);
  if (is_transposed)
    w.numbers =
        call("permute_dims", {w.numbers}, {{"axes", AttrValue::ints(has_batch ? Shape64{0, 2, 1} : Shape64{1, 0})}});
  NumberTensor y = x;
  y.bytes.reset();
  y.shape.back() = results;
  if (has_batch && has_own) y.shape.insert(y.shape.begin(), batch);
  y.numbers = call("matmul", {x.numbers, w.numbers});
  y.known = of_sums(x, w, steps);
  return activated(with_bias(y, w, x));
}

NumberTensor ProductWriter::crossed(const NumberTensor& x, const NumberTensor& y) {
  const NumberTensor left = x.bytes ? x : requantised(x), right = y.bytes ? y : requantised(y);
  const int64_t steps = left.shape.back(), columns = right.shape[right.rank() - 2], rows = left.count() / steps;
  if (rows * steps * columns > kMostProducts || rows * columns > kMostResults) return x;
  Shape64 axes(right.rank());
  std::iota(axes.begin(), axes.end(), int64_t{0});
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  const Weight w{.numbers = call("permute_dims", {right.numbers}, {{"axes", AttrValue::ints(axes)}}),
                 .scales = {right.bytes->scale_value},
                 .size = right.known.size};
  NumberTensor out = left;
  out.bytes.reset();
  out.shape.back() = columns;
  out.numbers = call("matmul", {left.numbers, w.numbers});
  out.known = of_sums(left, w, steps);
  out.known.accuracy = std::max(out.known.accuracy, right.known.accuracy);
  return activated(out);
}

NumberTensor ProductWriter::attended(const NumberTensor& x) {
  const NumberTensor y = x.bytes ? x : requantised(x);
  NumberTensor pairs = crossed(y, y);
  const int64_t steps = y.shape[y.rank() - 2], columns = y.shape.back();
  if (pairs.shape.back() != steps || pairs.count() * columns > kMostProducts) return x;
  if (!pairs.bytes) pairs = requantised(pairs);
  const Weight w{.numbers = y.numbers, .scales = {y.bytes->scale_value}, .size = y.known.size};
  NumberTensor out = y;
  out.bytes.reset();
  out.numbers = call("matmul", {pairs.numbers, w.numbers});
  out.known = of_sums(pairs, w, steps);
  out.known.accuracy = std::max(out.known.accuracy, y.known.accuracy);
  return activated(out);
}

// Of int32 a bias has the product of the scales of data and weight.
NumberTensor ProductWriter::with_bias(NumberTensor x, const Weight& w, const NumberTensor& data) {
  const bool is_left = s_.chance(15);
  if (s_.chance(25)) return x;
  const size_t axis = x.channel_axis();
  const int64_t channels = x.shape[axis];
  std::vector<double> values(static_cast<size_t>(channels));
  for (double& v : values) v = static_cast<double>(s_.between(-100, 100)) / 100 * x.known.size;
  Expr bias;
  if (style_.has_real_bias) {
    if (x.known.accuracy == Accuracy::Exact)
      for (double& v : values) v = on_grid(v, x.known.step);
    bias = real_weight({channels}, values);
  } else {
    std::vector<double> scales = w.scales;
    for (double& s : scales) s = static_cast<float>(s) * static_cast<float>(data.bytes->scale_value);
    for (size_t i = 0; i < values.size(); ++i) values[i] = std::round(values[i] / scales[i % scales.size()]);
    const DType wide = DType::int_(32);
    const Expr scale = constant(DType::float_(32), scales.size() > 1 ? Shape64{channels} : Shape64{}, scales);
    bias = call("dequantize", {weight(wide, {channels}, values), scale, constant(wide, {}, {0})},
                {{"axis", int64_t{0}}, {"out_dtype", real_}});
  }
  x.known.bound += 2 * x.known.size;
  x.known = x.known.checked();
  if (axis + 1 != x.rank()) {
    Shape64 shape(x.rank(), 1);
    shape[axis] = channels;
    bias = reshape(bias, shape);
  }
  x.numbers = is_left ? call("add", {bias, x.numbers}) : call("add", {x.numbers, bias});
  return x;
}

NumberTensor ProductWriter::activated(NumberTensor y) {
  const size_t kind = s_.below(10);
  if (kind >= 3 && s_.chance(style_.quantises_all ? 25 : 0)) y = after_op(y);
  y.bytes.reset();
  if (kind < 3) return after_op(y);
  if (kind < 7) {
    y.numbers = call("nn.relu", {y.numbers});
  } else if (kind == 7) {
    const double most = y.known.accuracy == Accuracy::Exact ? on_grid(y.known.size, y.known.step)
                                                            : static_cast<double>(static_cast<float>(y.known.size));
    const auto bound = [&](double v) { return PrimValue::make(FloatImm::make(real_, v)); };
    y.numbers = call("clip", {y.numbers, bound(0), bound(most)});
  } else if (kind == 8) {
    const Expr gate = call("sigmoid", {y.numbers});
    const bool is_gated = s_.chance(50);
    y.numbers = is_gated ? call("multiply", {y.numbers, gate}) : gate;
    if (!is_gated) y.known.size = y.known.bound = 1;
    y.known.accuracy = Accuracy::Loose;
    has_sums_of_floats_ = true;
  } else {
    const Expr moved = call("add", {y.numbers, number(3)});
    const Expr limited = call("minimum", {call("maximum", {moved, number(0)}), number(6)});
    y.numbers = call("divide", {call("multiply", {y.numbers, limited}), number(6)});
    y.known.accuracy = std::max(y.known.accuracy, Accuracy::Close);
    has_sums_of_floats_ = true;
  }
  return after_op(y);
}

}  // namespace sunmao
