// Samples of ops that make tensors.
#include "ops/samples/samples.h"

namespace sunmao {
namespace {

using Kind = TensorWish::Kind;

OpSample like(Sampler& s) { return {{s.tensor({.kind = Kind::Number})}}; }

OpSample filled_like(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number});
  return {{x, s.beside(x, {})}};
}

OpSample fresh(Sampler& s) { return {{ShapeExpr::make(s.dims(0, 3, true))}, {{"dtype", s.dtype(Kind::Number)}}}; }

OpSample filled(Sampler& s) {
  const DType dtype = s.dtype(Kind::Float);
  return {{ShapeExpr::make(s.dims(0, 3, true)), float_argument(2.5, dtype)}, {{"dtype", dtype}}};
}

OpSample diagonal(Sampler& s) {
  return {{int_argument(s.between(1, 4)), int_argument(s.between(1, 4)), int_argument(s.between(-2, 2))},
          {{"dtype", s.dtype(Kind::Number)}}};
}

OpSample counted(Sampler& s) {
  const int64_t start = s.between(-3, 3);
  return {{int_argument(start), int_argument(start + s.between(1, 9)), int_argument(s.between(1, 3))},
          {{"dtype", DType::int_(64)}}};
}

OpSample meshed(Sampler& s) {
  const DType dtype = s.dtype(Kind::Number);
  std::vector<Expr> axes;
  for (int64_t i = s.between(2, 3); i > 0; --i)
    axes.push_back(s.tensor({.min_rank = 1, .max_rank = 1, .dtype = dtype, .is_static = true}));
  return {{Tuple::make(std::move(axes))}, {{"indexing", "ij"}}};
}

}  // namespace

void add_create_samples(SampleTable& t) {
  t["zeros_like"] = t["ones_like"] = like;
  t["full_like"] = filled_like;
  t["zeros"] = t["ones"] = fresh;
  t["full"] = filled;
  t["eye"] = diagonal;
  t["arange"] = counted;
  t["meshgrid"] = meshed;
}

}  // namespace sunmao
