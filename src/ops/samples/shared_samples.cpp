#include "ops/samples/shared_samples.h"

namespace sunmao {

Dims partner_dims(Sampler& s, const Dims& dims) {
  Dims out(dims.begin() + static_cast<ptrdiff_t>(s.chance(30) ? s.below(dims.size() + 1) : 0), dims.end());
  for (Scalar& d : out)
    if (s.chance(20)) d = int_imm(1);
  return out;
}

Expr partner(Sampler& s, const Expr& x, Values values, int64_t limit) {
  return s.tensor(
      {.dims = partner_dims(s, sampled_dims(x)), .dtype = sampled_dtype(x), .values = values, .limit = limit});
}

Expr sampled_data(Sampler& s) {
  return s.tensor({.kind = TensorWish::Kind::Number, .min_rank = 1, .max_rank = 3, .size = Sizes::Some});
}
size_t some_axes(Sampler& s, const Expr& x) { return 1 + s.below(sampled_dims(x).size()); }

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

}  // namespace sunmao
