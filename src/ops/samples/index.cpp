// Samples of ops that read or write elements at places.
#include <algorithm>

#include "ops/samples/samples.h"

namespace sunmao {
namespace {

using Kind = TensorWish::Kind;

// Beyond the ends as the mode says; without an axis the tensor has one.
OpSample taken(Sampler& s) {
  static const std::vector<std::string> kModes{"fast", "fast", "clip", "wrap", "nan"};
  const std::string& mode = s.one_of(kModes);
  const bool has_axis = s.chance(80);
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .max_rank = has_axis ? 3 : 1, .size = Sizes::Some});
  const int64_t axis = has_axis ? s.axis(sampled_rank(x)) : 0, size = s.size_along(axis, x),
                beyond = mode == "fast" ? 0 : 2;
  OpSample sample{{x, s.places(s.dims(0, 2), size + beyond, -size - beyond)}, {{"mode", mode}}};
  if (has_axis) sample.attrs["axis"] = axis;
  return sample;
}

OpSample gathered(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 1, .max_rank = 3, .size = Sizes::Some});
  const int64_t axis = s.axis(sampled_rank(x)), size = s.size_along(axis, x);
  return {{x, s.places(dims_with(x, axis, int_imm(s.between(0, 4))), size, -size)}, {{"axis", axis}}};
}

OpSample placed(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .max_rank = 2});
  // Ordered, as they have to be.
  const Array ordered = Array::from_floats({3}, std::vector<float>{-1, 0.25, 1});
  return {{x, Constant::make(ordered)}, {{"right", s.chance(50)}, {"out_int32", s.chance(50)}}};
}
OpSample masked(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1, .dtype = DType::float_(32)});
  Expr mask = s.tensor({.dims = sampled_dims(x), .dtype = DType::bool_()});
  return {{x, mask, float_argument(-1.5)}};
}
// The leading axes that both share, then places, then the vectors.
OpSample gathered_nd(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 2, .max_rank = 3, .size = Sizes::Some});
  const int64_t shared = s.between(0, 1), length = s.between(1, sampled_rank(x) - shared);
  int64_t least = s.size_along(shared, x);
  for (int64_t i = 1; i < length; ++i) least = std::min(least, s.size_along(shared + i, x));
  Dims dims(sampled_dims(x).begin(), sampled_dims(x).begin() + shared);
  for (const Scalar& d : s.dims(0, 2)) dims.push_back(d);
  dims.push_back(int_imm(length));
  return {{x, s.places(dims, least, -least)}, {{"batch_dims", shared}}};
}

// Index tensors that broadcast against each other.
std::vector<Expr> index_tensors(Sampler& s, const Expr& data, size_t count) {
  const Dims shape = s.dims(0, 2);
  std::vector<Expr> all;
  for (size_t i = 0; i < count; ++i) {
    Dims dims(shape.begin() + static_cast<ptrdiff_t>(i > 0 ? s.below(shape.size() + 1) : 0), shape.end());
    for (Scalar& d : dims)
      if (i > 0 && s.chance(20)) d = int_imm(1);
    const int64_t size = s.size_along(static_cast<int64_t>(i), data);
    all.push_back(s.places(dims, size, -size, s.chance(30) ? DType::int_(32) : DType::int_(64)));
  }
  return all;
}
Expr indexed(Sampler& s) { return s.tensor({.kind = Kind::Number, .min_rank = 1, .max_rank = 3, .size = Sizes::Some}); }
size_t some_axes(Sampler& s, const Expr& x) { return 1 + s.below(sampled_dims(x).size()); }

OpSample chosen_by_tensors(Sampler& s) {
  Expr x = indexed(s);
  return {{x, Tuple::make(index_tensors(s, x, some_axes(s, x)))}};
}

OpSample put_by_tensors(Sampler& s) {
  Expr x = indexed(s);
  const size_t count = some_axes(s, x);
  std::vector<Expr> indices = index_tensors(s, x, count);
  Dims values = sampled_dims(indices[0]);
  values.insert(values.end(), sampled_dims(x).begin() + static_cast<ptrdiff_t>(count), sampled_dims(x).end());
  if (s.chance(30)) values.erase(values.begin(), values.begin() + static_cast<ptrdiff_t>(s.below(values.size() + 1)));
  for (Scalar& d : values)
    if (s.chance(10)) d = int_imm(1);
  return {{x, Tuple::make(std::move(indices)), s.beside(x, values)}, {{"accumulate", s.chance(50)}}};
}

const std::vector<std::string>& reductions() {
  static const std::vector<std::string> kAll{"update", "add", "mul", "mean", "min", "max"};
  return kAll;
}

// Fewer lines than the tensor has, and places that come twice.
OpSample scattered(Sampler& s) {
  Expr x = indexed(s);
  const int64_t axis = s.axis(sampled_rank(x)), size = s.size_along(axis, x);
  Dims dims = dims_with(x, axis, int_imm(s.between(0, 4)));
  for (size_t i = 0; i < dims.size(); ++i)
    if (i != place_of(axis, x) && s.chance(20)) dims[i] = int_imm(s.between(1, s.size_of(dims[i])));
  return {{x, s.places(dims, size, -size), s.beside(x, dims)}, {{"axis", axis}, {"reduction", s.one_of(reductions())}}};
}

OpSample scattered_nd(Sampler& s) {
  Expr x = indexed(s);
  const size_t length = some_axes(s, x);
  int64_t least = s.size_along(0, x);
  for (size_t i = 1; i < length; ++i) least = std::min(least, s.size_along(static_cast<int64_t>(i), x));
  Dims places = s.dims(0, 2), updates = places;
  places.push_back(int_imm(static_cast<int64_t>(length)));
  updates.insert(updates.end(), sampled_dims(x).begin() + static_cast<ptrdiff_t>(length), sampled_dims(x).end());
  return {{x, s.places(places, least, -least), s.beside(x, updates)}, {{"reduction", s.one_of(reductions())}}};
}

OpSample reversed(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number, .min_rank = 2, .size = Sizes::Some});
  const int64_t sequence = s.axis(sampled_rank(x));
  int64_t batch = s.axis(sampled_rank(x));
  while (place_of(batch, x) == place_of(sequence, x)) batch = s.axis(sampled_rank(x));
  const DType dtype = s.chance(50) ? DType::int_(32) : DType::int_(64);
  return {{x, s.places({dim_along(batch, x)}, s.size_along(sequence, x) + 1, 0, dtype)},
          {{"seq_axis", sequence}, {"batch_axis", batch}}};
}

// An index beyond the depth is hot nowhere.
OpSample hot(Sampler& s) {
  const int64_t depth = s.between(1, 4);
  Expr places = s.places(s.dims(0, 2), depth + 1, -1);
  const bool is_float = s.chance(50);
  return {{places, is_float ? float_argument(1.5) : int_argument(3), is_float ? float_argument(-0.5) : int_argument(0)},
          {{"depth", depth}, {"axis", s.axis(sampled_rank(places) + 1)}}};
}

}  // namespace

void add_index_samples(SampleTable& t) {
  t["take"] = taken;
  t["gather_elements"] = gathered;
  t["scatter_elements"] = scattered;
  t["one_hot"] = hot;
  t["bucketize"] = placed;
  t["masked_fill"] = masked;
  t["index_tensor"] = chosen_by_tensors;
  t["index_put"] = put_by_tensors;
  t["scatter_nd"] = scattered_nd;
  t["reverse_sequence"] = reversed;
  t["gather_nd"] = gathered_nd;
}

}  // namespace sunmao
