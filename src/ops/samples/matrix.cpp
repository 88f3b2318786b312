#include "ops/samples/samples.h"

namespace sunmao {
namespace {

// Elements of [0, 1): few such matrices are nearly singular.
Expr square(Sampler& s) {
  const int64_t size = s.between(1, 4);
  Dims dims = sizes({size, size});
  if (s.chance(40)) dims.insert(dims.begin(), int_imm(s.between(0, 3)));
  return s.tensor({.dims = dims, .dtype = DType::float_(64), .values = Values::Unit});
}

OpSample one(Sampler& s) { return {{square(s)}}; }

OpSample two(Sampler& s) {
  Expr a = square(s);
  Dims dims = sampled_dims(a);
  dims.back() = int_imm(s.between(1, 3));
  return {{a, s.tensor({.dims = dims, .dtype = sampled_dtype(a), .values = Values::Finite})}};
}

OpSample triangle(Sampler& s) {
  OpSample out = two(s);
  for (const char* name : {"upper", "transposed", "unit_diagonal"}) out.attrs[name] = s.chance(50);
  return out;
}

}  // namespace

void add_matrix_samples(SampleTable& t) {
  t["linalg.det"] = t["linalg.inverse"] = t["linalg.cholesky"] = one;
  t["linalg.solve"] = two;
  t["linalg.triangular_solve"] = triangle;
}

}  // namespace sunmao
