// What the factorisations of matrices share.
#pragma once
#include "ops/float64.h"
#include "ops/matrices.h"
#include "ops/samples/sampler.h"

namespace sunmao {

inline const Scalar& rows_of(const Ref<Buffer>& a) { return a->shape[a->shape.size() - 2]; }
inline const Scalar& columns_of(const Ref<Buffer>& a) { return a->shape.back(); }
inline const Scalar& rows_of(const TensorType& a) { return (*written(a))[written(a)->size() - 2]; }
inline const Scalar& columns_of(const TensorType& a) { return written(a)->back(); }
inline Scalar fewer(const InferInput& in, const Scalar& rows, const Scalar& columns) {
  return in.analyzer().simplify(min(rows, columns));
}

/// Emits body(i, j) for the rows and columns of a buffer of matrices.
template <class Body>
Stmt each_of(const Ref<Buffer>& a, const Body& body) {
  return repeat("i", rows_of(a), [&](const Scalar& i) {
    return repeat("j", columns_of(a), [&](const Scalar& j) { return body(i, j); });
  });
}

inline std::vector<Ref<Buffer>> joined(std::vector<Ref<Buffer>> a, const std::vector<Ref<Buffer>>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Draws matrices from [0, 1) of up to 4 rows and columns, which differ in number by at most one.
inline Expr sampled_matrices(Sampler& s) {
  const int64_t rows = s.between(1, 4), columns = std::max<int64_t>(1, rows + s.between(-1, 1));
  Dims dims = sizes({rows, columns});
  if (s.chance(40)) dims.insert(dims.begin(), int_imm(s.between(0, 3)));
  return s.tensor({.dims = dims, .dtype = kFloat64, .values = Values::Unit});
}

}  // namespace sunmao
