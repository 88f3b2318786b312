// Samples of ops that read or write elements at places.
#include "ops/samples/samples.h"

namespace sunmao {
namespace {

using Kind = TensorWish::Kind;

Expr numbers(const std::vector<int64_t>& values) {
  std::vector<Expr> out;
  for (int64_t v : values) out.push_back(int_argument(v));
  return Tuple::make(std::move(out));
}

OpSample taken(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .max_rank = 3, .is_static = true});
  const int64_t axis = s.axis(sampled_rank(x));
  return {{x, s.places(s.dims(0, 2, true), s.size_along(axis, x))}, {{"axis", axis}}};
}

OpSample gathered(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .max_rank = 3, .is_static = true});
  const int64_t axis = s.axis(sampled_rank(x));
  return {{x, s.places(dims_with(x, axis, int_imm(s.between(1, 4))), s.size_along(axis, x))}, {{"axis", axis}}};
}

// One place along the axis, so that no two are the same.
OpSample scattered(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .max_rank = 3, .is_static = true});
  const int64_t axis = s.axis(sampled_rank(x));
  const Dims dims = dims_with(x, axis, int_imm(1));
  return {{x, s.places(dims, s.size_along(axis, x)), s.beside(x, dims)}, {{"axis", axis}}};
}

OpSample sliced(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .is_static = true});
  std::vector<int64_t> axes = s.axes(sampled_rank(x)), begin, end, strides;
  for (int64_t axis : axes) {
    const int64_t size = s.size_along(axis, x), from = s.between(0, size - 1);
    begin.push_back(s.chance(30) ? from - size : from);
    end.push_back(s.chance(20) ? size + 2 : s.between(from, size));
    strides.push_back(s.between(1, 2));
  }
  return {{x, numbers(axes), numbers(begin), numbers(end), numbers(strides)}};
}

OpSample placed(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .max_rank = 2});
  // Ordered, as they have to be.
  const Array ordered = Array::from_floats({3}, std::vector<float>{-1, 0.25, 1});
  return {{x, Constant::make(ordered)}, {{"right", s.chance(50)}}};
}
OpSample masked(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .dtype = DType::float_(32)});
  Expr mask = s.tensor({.dims = sampled_dims(x), .dtype = DType::bool_()});
  return {{x, mask, float_argument(-1.5)}};
}
OpSample gathered_nd(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 2, .max_rank = 3, .is_static = true});
  const int64_t least = std::min(s.size_along(0, x), s.size_along(1, x));
  return {{x, s.places(sizes({s.between(1, 3), s.between(1, 2)}), least)}};
}

OpSample hot(Sampler& s) {
  const int64_t depth = s.between(1, 4);
  return {{s.places(s.dims(0, 2, false), depth), float_argument(1), float_argument(0)},
          {{"depth", depth}, {"axis", int64_t{-1}}}};
}

}  // namespace

void add_index_samples(SampleTable& t) {
  t["take"] = taken;
  t["gather_elements"] = gathered;
  t["scatter_elements"] = scattered;
  t["strided_slice"] = sliced;
  t["one_hot"] = hot;
  t["bucketize"] = placed;
  t["masked_fill"] = masked;
  t["gather_nd"] = gathered_nd;
}

}  // namespace sunmao
