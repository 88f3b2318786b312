// Sample functions, and parts of them, that several op families share.
#pragma once
#include "ops/samples/sampler.h"

namespace sunmao {

/// Draws arguments of a unary op.
template <TensorWish::Kind kKind>
OpSample sample_unary(Sampler& s) {
  return {{s.tensor({.kind = kKind})}};
}

/// Returns dimensions that broadcast against `dims`.
Dims partner_dims(Sampler& s, const Dims& dims);
/// Returns a tensor of the dtype of `x` that broadcasts against it.
Expr partner(Sampler& s, const Expr& x, Values values = Values::Any, int64_t limit = 0);

/// Draws arguments of a binary op with broadcasting.
template <TensorWish::Kind kKind>
OpSample sample_binary(Sampler& s) {
  Expr x = s.tensor({.kind = kKind}), y = partner(s, x);
  return s.chance(50) ? OpSample{{x, y}} : OpSample{{y, x}};
}

/// Returns a tensor to be indexed, and the number of its leading axes that are indexed.
Expr sampled_data(Sampler& s);
size_t some_axes(Sampler& s, const Expr& x);
/// Returns index tensors that broadcast against each other.
std::vector<Expr> index_tensors(Sampler& s, const Expr& data, size_t count);

}  // namespace sunmao
