// Samples of ops that read or write elements at places.
#include "ops/samples/samples.h"

namespace sunmao {
namespace {

using Kind = TensorWish::Kind;

int64_t rank_of(const Expr& x) { return static_cast<int64_t>(sampled_dims(x).size()); }
int64_t size_along(Sampler& s, const Expr& x, int64_t axis) {
  return s.size_of(sampled_dims(x)[static_cast<size_t>(axis < 0 ? axis + rank_of(x) : axis)]);
}
Expr numbers(const std::vector<int64_t>& values) {
  std::vector<Expr> out;
  for (int64_t v : values) out.push_back(PrimValue::make(int_imm(v)));
  return Tuple::make(std::move(out));
}

OpSample taken(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .max_rank = 3, .is_static = true});
  const int64_t axis = s.axis(rank_of(x));
  Expr places = s.tensor({.kind = Kind::Integer,
                          .max_rank = 2,
                          .dtype = DType::int_(64),
                          .values = Values::Index,
                          .limit = size_along(s, x, axis),
                          .is_static = true});
  return {{x, places}, {{"axis", axis}}};
}

OpSample gathered(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .max_rank = 3, .is_static = true});
  const int64_t axis = s.axis(rank_of(x));
  std::vector<Scalar> dims = sampled_dims(x);
  dims[static_cast<size_t>(axis < 0 ? axis + rank_of(x) : axis)] = int_imm(s.between(1, 4));
  return {
      {x, s.tensor({.dims = dims, .dtype = DType::int_(64), .values = Values::Index, .limit = size_along(s, x, axis)})},
      {{"axis", axis}}};
}

OpSample scattered(Sampler& s) {
  OpSample sample = gathered(s);
  // Places along an axis that are all different: one.
  const Expr x = sample.args[0];
  const int64_t axis = *sample.attrs["axis"].find<int64_t>();
  std::vector<Scalar> dims = sampled_dims(x);
  dims[static_cast<size_t>(axis < 0 ? axis + rank_of(x) : axis)] = int_imm(1);
  sample.args[1] =
      s.tensor({.dims = dims, .dtype = DType::int_(64), .values = Values::Index, .limit = size_along(s, x, axis)});
  sample.args.push_back(s.tensor({.dims = dims, .dtype = sampled_dtype(x)}));
  return sample;
}

OpSample sliced(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .is_static = true});
  std::vector<int64_t> axes = s.axes(rank_of(x)), begin, end, strides;
  for (int64_t axis : axes) {
    const int64_t size = size_along(s, x, axis), from = s.between(0, size - 1);
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
  return {{x, mask, PrimValue::make(FloatImm::make(DType::float_(32), -1.5))}};
}
OpSample gathered_nd(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 2, .max_rank = 3, .is_static = true});
  int64_t least = s.size_of(sampled_dims(x)[0]);
  least = std::min(least, s.size_of(sampled_dims(x)[1]));
  const std::vector<Scalar> dims{int_imm(s.between(1, 3)), int_imm(s.between(1, 2))};
  return {{x, s.tensor({.dims = dims, .dtype = DType::int_(64), .values = Values::Index, .limit = least})}};
}

OpSample hot(Sampler& s) {
  const int64_t depth = s.between(1, 4);
  Expr places = s.tensor(
      {.kind = Kind::Integer, .max_rank = 2, .dtype = DType::int_(64), .values = Values::Index, .limit = depth});
  auto value = [](double v) { return PrimValue::make(FloatImm::make(DType::float_(32), v)); };
  return {{places, value(1), value(0)}, {{"depth", depth}, {"axis", int64_t{-1}}}};
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
