// Discrete Fourier transforms as products with matrices of known numbers.
#pragma once
#include "ops/lowering.h"

namespace sunmao {

/// A transform of `points`, of which `given` are there (those behind are 0, those beyond are left out). Complex numbers
/// have two parts, real ones one; `half` of an inverse transform means half a spectrum, which gives real numbers.
struct DftForm {
  int64_t points, given, bins;
  int64_t parts_in, parts_out;
  size_t axis;
  bool inverse, half;
};

/// Returns the transform of the call's first argument; null where its matrices would be large.
Expr dft_by_products(const InferInput& in, const Call& call, const DftForm& form);

}  // namespace sunmao
