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

OpSample fresh(Sampler& s) {
  return {{ShapeExpr::make(s.dims(0, 3, Sizes::Whole))}, {{"dtype", s.dtype(Kind::Number)}}};
}

OpSample filled(Sampler& s) {
  const DType dtype = s.dtype(Kind::Float);
  return {{ShapeExpr::make(s.dims(0, 3, Sizes::Whole)), float_argument(2.5, dtype)}, {{"dtype", dtype}}};
}

OpSample diagonal_like(Sampler& s) {
  OpSample sample{{s.tensor({.kind = Kind::Number, .min_rank = 2, .max_rank = 2}), int_argument(s.between(-2, 2))}};
  if (s.chance(40)) sample.attrs["dtype"] = s.dtype(Kind::Number);
  return sample;
}

OpSample window(Sampler& s) {
  Expr is_periodic = PrimValue::make(IntImm::make(DType::bool_(), s.between(0, 1)));
  return {{int_argument(s.between(0, 9)), is_periodic, float_argument(0.54), float_argument(0.46)},
          {{"dtype", s.dtype(Kind::Float)}}};
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
    axes.push_back(s.tensor({.min_rank = 1, .max_rank = 1, .dtype = dtype, .size = Sizes::Whole}));
  return {{Tuple::make(std::move(axes))}, {{"indexing", s.chance(50) ? "ij" : "xy"}}};
}

}  // namespace

void add_create_samples(SampleTable& t) {
  t["zeros_like"] = t["ones_like"] = like;
  t["full_like"] = filled_like;
  t["zeros"] = t["ones"] = fresh;
  t["full"] = filled;
  t["eye"] = diagonal;
  t["eye_like"] = diagonal_like;
  t["hamming_window"] = window;
  t["arange"] = counted;
  t["meshgrid"] = meshed;
}

}  // namespace sunmao
