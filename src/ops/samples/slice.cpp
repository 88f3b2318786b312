// Samples of slices.
#include <algorithm>

#include "ops/samples/samples.h"

namespace sunmao {
namespace {

using Kind = TensorWish::Kind;

Expr numbers(const std::vector<int64_t>& values) {
  std::vector<Expr> out;
  for (int64_t v : values) out.push_back(int_argument(v));
  return Tuple::make(std::move(out));
}

// Begin and end may lie outside, and a negative stride goes backwards.
OpSample sliced(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .size = Sizes::Whole});
  std::vector<int64_t> axes = s.axes(sampled_rank(x)), begin, end, strides;
  for (int64_t& axis : axes) {
    const int64_t size = s.size_along(axis, x);
    begin.push_back(s.between(-size - 1, size + 1));
    end.push_back(s.between(-size - 1, size + 1));
    strides.push_back(s.one_of(std::vector<int64_t>{-2, -1, 1, 1, 2}));
    if (s.chance(20)) axis -= sampled_rank(x);
  }
  return {{x, numbers(axes), numbers(begin), numbers(end), numbers(strides)}};
}

OpSample sliced_by_tensors(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1});
  const Dims one = sizes({sampled_rank(x)});
  std::vector<int64_t> strides;
  for (int64_t i = 0; i < sampled_rank(x); ++i) strides.push_back(s.one_of(std::vector<int64_t>{-2, -1, 1, 1, 2}));
  return {
      {x, s.places(one, 7, -6), s.places(one, 7, -6), Constant::make(Array::from_ints({sampled_rank(x)}, strides))}};
}

// As many elements as Python's `start:end:step` takes of `size`.
int64_t length_of(int64_t start, int64_t end, int64_t step, int64_t size) {
  auto inside = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + size : i, 0, size); };
  return std::max<int64_t>(0, inside(end) - inside(start) + step - 1) / step;
}

OpSample put_in_slice(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1});
  const int64_t axis = s.axis(sampled_rank(x)), size = s.size_along(axis, x), start = s.between(-size, size),
                end = s.between(-size - 1, size + 1), step = s.between(1, 3);
  return {{x, s.beside(x, dims_with(x, axis, int_imm(length_of(start, end, step, size)))), int_argument(start),
           int_argument(end), int_argument(step)},
          {{"axis", axis}}};
}

}  // namespace

void add_slice_samples(SampleTable& t) {
  t["strided_slice"] = sliced;
  t["dynamic_strided_slice"] = sliced_by_tensors;
  t["slice_scatter"] = put_in_slice;
}

}  // namespace sunmao
