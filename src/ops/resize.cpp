#include "ops/resize.h"

#include <optional>

#include "ops/axis_layout.h"
#include "ops/cubic_weights.h"
#include "ops/statements.h"
#include "support/diagnostic.h"
#include "sym/analyzer.h"
#include "sym/fold.h"

namespace sunmao {
namespace {

// An input element along an axis and its interpolation weight; without a weight it is the only tap.
struct WeightedElement {
  Scalar index, weight;
};

// Up to here distances of places from the borders of pixels are 0 or far above `kSlack`.
constexpr int64_t kMostWhole = 32;

Scalar clamped_index(const Scalar& i, const Scalar& size) { return max(min(i, size - int_imm(1)), int_imm(0)); }

/// Returns `to / from` where that is a whole number; nullopt otherwise. A size of at least one (`max(n, 1)`) counts as
/// n, since where n is 0 nothing is computed.
std::optional<int64_t> whole_scale(const Scalar& from, const Scalar& to) {
  const auto* least = find<Binary>(from);
  const bool is_least = least && least->op == BinaryOp::Max && find_int(least->b) && *find_int(least->b) == 1;
  const Scalar size = is_least ? least->a : from;
  Analyzer analyzer;
  for (int64_t scale = 1; scale <= kMostWhole; ++scale)
    if (analyzer.can_prove_equal(to, size * int_imm(scale))) return scale;
  return std::nullopt;
}

constexpr double kSlack = 1e-5;  // tolerance before floor and ceil, so that rounding errors cross no pixel border

double number_or_zero(const AttrList& list, size_t i) {
  const double* real = i < list.size() ? list[i].find<double>() : nullptr;
  const int64_t* whole = i < list.size() ? list[i].find<int64_t>() : nullptr;
  return real ? *real : whole ? static_cast<double>(*whole) : 0;
}

// One resize call: coordinates and weights are computed in float32 for images of float32 or narrower floats, else in
// float64.
class Resizing {
 public:
  Resizing(const Call& call, const Ref<Buffer>& x, const Ref<Buffer>& y)
      : in_(input_of(call)),
        layout_(AxisLayout::of_attr(in_, "layout", in_.op.name() == "image.resize2d" ? "NCHW" : "NCDHW")), x_(x),
        real_(x->dtype.is_float() ? accumulator(x->dtype) : DType::float_(64)),
        sizes_(layout_.canonical_sizes(x->shape)), wanted_(layout_.canonical_sizes(y->shape)),
        mode_(in_.string_attr("coordinate_transformation_mode")) {}

  Scalar element(const Indices& own) const {
    const Indices at = layout_.canonical_indices(own);
    std::vector<std::vector<WeightedElement>> taps;
    std::vector<std::pair<Ref<SymVar>, Scalar>> weights;
    Scalar inside;
    for (size_t i = 2; i < at.size(); ++i) {
      if (const Scalar copied = copied_index(at[i], i)) {
        taps.push_back({{copied, nullptr}});
        continue;
      }
      const Scalar place = source_place(at[i], i);
      taps.push_back(taps_at(place, i));
      if (taps.back().size() > 2) name_weights(taps.back(), i, weights);
      if (mode_ != "tf_crop_and_resize") continue;
      Scalar here = both(at_least(place, real(0)), at_most(place, to_real(sizes_[i] - int_imm(1))));
      inside = inside ? both(inside, here) : here;
    }
    Scalar value = weighted(taps, {at[0], at[1]}, nullptr);
    for (const auto& [name, weight] : weights) value = Let::make(name, weight, value);
    const Scalar chosen =
        inside ? Select::make(inside, to_real(value), real(in_.float_attr("extrapolation_value"))) : value;
    return x_->dtype.is_float() || chosen->dtype == x_->dtype ? chosen : cut(chosen);
  }

 private:
  Scalar real(double v) const { return constant(real_, v); }
  Scalar to_real(const Scalar& x) const { return cast_to(real_, x); }

  // Truncates towards 0 with a tolerance, so that engines that round the weighted sum differently give the same
  // integer.
  Scalar cut(const Scalar& x) const {
    const Ref<SymVar> sum = SymVar::make("sum", real_);
    const Scalar slack = Select::make(less(sum, real(0)), real(-kSlack), real(kSlack));
    return Let::make(sum, x, intrinsic("trunc", Scalar(sum) + slack));
  }

  // Returns the input coordinate of an output index.
  Scalar source_place(const Scalar& index, size_t axis) const {
    const Scalar at = to_real(index), in = to_real(sizes_[axis]), out = to_real(wanted_[axis]), half = real(0.5);
    if (mode_ == "align_corners") return divide(at * (in - real(1)), max(out - real(1), real(1)));
    if (mode_ == "tf_crop_and_resize") return place_in_region(at, axis);
    const Scalar scale = divide(in, out);
    if (mode_ == "asymmetric") return at * scale;
    if (mode_ == "tf_half_pixel_for_nn") return (at + half) * scale;
    const Scalar place = (at + half) * scale - half;
    if (mode_ != "pytorch_half_pixel") return place;
    return Select::make(less(int_imm(1), wanted_[axis]), place, real(0));
  }

  // tf_crop_and_resize: the region of interest spans from its first to its last pixel centre; an output size of 1
  // samples its middle.
  Scalar place_in_region(const Scalar& at, size_t axis) const {
    const AttrList* region = in_.attr("roi").find<AttrList>();
    const size_t spatial = sizes_.size() - 2;
    const double begin = region ? number_or_zero(*region, axis - 2) : 0,
                 end = region ? number_or_zero(*region, axis - 2 + spatial) : 0;
    const Scalar last = to_real(sizes_[axis] - int_imm(1)), steps = max(to_real(wanted_[axis]) - real(1), real(1));
    return Select::make(less(int_imm(1), wanted_[axis]),
                        real(begin) * last + divide(at * real(end - begin) * last, steps),
                        real((begin + end) / 2) * last);
  }

  Scalar rounded(const Scalar& x) const {
    std::string how = in_.string_attr("rounding_method");
    if (how.empty()) how = mode_ == "align_corners" ? "round" : "floor";
    if (how == "floor") return floor_of(x + real(kSlack));
    if (how == "ceil") return intrinsic("ceil", x - real(kSlack));
    if (how == "round_prefer_floor") return intrinsic("ceil", x - real(0.5 + kSlack));
    return floor_of(x + real(0.5 + kSlack));
  }

  /// Returns the index of the nearest pixel where each is repeated a whole number of times: floor((index + shift) /
  /// scale), without floats, so that the repetition can be seen. Null elsewhere.
  Scalar copied_index(const Scalar& index, size_t axis) const {
    const bool has_centres = mode_ == "half_pixel" || mode_ == "pytorch_half_pixel",
               is_tf = mode_ == "tf_half_pixel_for_nn";
    if (in_.string_attr("method") != "nearest_neighbor" || (!has_centres && !is_tf && mode_ != "asymmetric"))
      return nullptr;
    const std::optional<int64_t> scale = whole_scale(sizes_[axis], wanted_[axis]);
    if (!scale) return nullptr;
    // The place is (2 index + twice) / (2 scale), which is rounded down after adding half of it, or nearly one.
    const int64_t twice = has_centres ? 1 - *scale : is_tf ? 1 : 0;
    const std::string how = in_.string_attr("rounding_method");
    const int64_t up = how.empty() || how == "floor" ? 0
                       : how == "ceil"               ? 2 * *scale - 1
                       : how == "round_prefer_floor" ? *scale - 1
                                                     : *scale;
    const int64_t shift = floor_div(twice + up, 2);
    const Scalar from = shift == 0 ? index : index + int_imm(shift);
    const Scalar nearest = *scale == 1 ? from : Binary::make(BinaryOp::FloorDiv, from, int_imm(*scale));
    return shift == 0 ? nearest : clamped_index(nearest, sizes_[axis]);
  }

  // Coordinates of float32 pass through 32-bit integers, which vectors convert to.
  Scalar nearest(const Scalar& place) const {
    const Scalar pixel = rounded(place);
    const bool is_near = real_ == DType::float_(32) && mode_ != "tf_crop_and_resize";
    return as_index(is_near ? cast_to(DType::int_(32), pixel) : pixel);
  }

  std::vector<WeightedElement> taps_at(const Scalar& place, size_t axis) const {
    const Scalar& size = sizes_[axis];
    const std::string method = in_.string_attr("method");
    if (method == "nearest_neighbor") return {{clamped_index(nearest(place), size), nullptr}};
    const Scalar low = floor_of(place), t = place - low, first = as_index(low);
    if (method == "linear")
      return {{clamped_index(first, size), real(1) - t}, {clamped_index(first + int_imm(1), size), t}};
    std::vector<Scalar> weights = cubic_weights(t, in_.float_attr("cubic_alpha"));
    std::vector<WeightedElement> taps;
    Scalar total;
    const bool exclude = in_.int_attr("cubic_exclude") != 0;
    for (size_t i = 0; i < 4; ++i) {
      const Scalar index = first + int_imm(static_cast<int64_t>(i) - 1);
      if (exclude) {
        Scalar inside = both(at_least(index, int_imm(0)), less(index, size));
        weights[i] = Select::make(inside, weights[i], real(0));
        total = total ? total + weights[i] : weights[i];
      }
      taps.push_back({clamped_index(index, size), weights[i]});
    }
    if (exclude)
      for (WeightedElement& tap : taps) tap.weight = divide(tap.weight, total);
    return taps;
  }

  // Binds each weight to a variable, so that it is computed once for all combinations of taps.
  void name_weights(std::vector<WeightedElement>& taps, size_t axis,
                    std::vector<std::pair<Ref<SymVar>, Scalar>>& out) const {
    for (size_t i = 0; i < taps.size(); ++i) {
      const Ref<SymVar> name = SymVar::make(fmt::format("weight{}_{}", axis - 2, i), real_);
      out.emplace_back(name, taps[i].weight);
      taps[i].weight = name;
    }
  }

  // Returns the weighted sum over all combinations of taps, one for each axis.
  Scalar weighted(const std::vector<std::vector<WeightedElement>>& taps, const Indices& from,
                  const Scalar& weight) const {
    const size_t axis = from.size() - 2;
    if (axis == taps.size()) {
      Scalar value = load(x_, layout_.indices(from));
      return weight ? to_real(value) * weight : value;
    }
    Scalar sum;
    for (const WeightedElement& tap : taps[axis]) {
      Indices next = from;
      next.push_back(tap.index);
      Scalar part = weighted(taps, next, weight && tap.weight ? weight * tap.weight : tap.weight ? tap.weight : weight);
      sum = sum ? sum + part : part;
    }
    return sum;
  }

  const InferInput in_;
  const AxisLayout layout_;
  const Ref<Buffer> x_;
  const DType real_;
  const std::vector<Scalar> sizes_, wanted_;
  const std::string mode_;
};

}  // namespace

Ref<BaseFunc> lower_resize(const Call& call) {
  KernelBuilder k(op_of(call)->name().substr(6));
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("resize", call.type);
  const Resizing resizing(call, x, y);
  k.compute(y, "resize", [&](const Indices& own) { return cast_to(y->dtype, resizing.element(own)); });
  return std::move(k).finish();
}

}  // namespace sunmao
