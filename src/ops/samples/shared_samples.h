// Samples, and parts of samples, that several families share.
#pragma once
#include "ops/samples/sampler.h"

namespace sunmao {

/// Of an op on one tensor.
template <TensorWish::Kind kKind>
OpSample sample_unary(Sampler& s) {
  return {{s.tensor({.kind = kKind})}};
}

/// Dimensions that broadcast against `dims`.
Dims partner_dims(Sampler& s, const Dims& dims);
/// A tensor that broadcasts against x, of its dtype.
Expr partner(Sampler& s, const Expr& x, Values values = Values::Any, int64_t limit = 0);

/// Of an op on two tensors that are broadcast.
template <TensorWish::Kind kKind>
OpSample sample_binary(Sampler& s) {
  Expr x = s.tensor({.kind = kKind}), y = partner(s, x);
  return s.chance(50) ? OpSample{{x, y}} : OpSample{{y, x}};
}

/// A tensor in which indices name elements, and how many of its leading axes they name.
Expr sampled_data(Sampler& s);
size_t some_axes(Sampler& s, const Expr& x);
/// Index tensors that broadcast against each other.
std::vector<Expr> index_tensors(Sampler& s, const Expr& data, size_t count);

}  // namespace sunmao
