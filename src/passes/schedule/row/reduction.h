// Reduction: a store nest that combines the elements of each result, as a sum or a maximum.
#pragma once
#include <functional>

#include "passes/loop/store_nest.h"

namespace sunmao {

/// A reduction out[spatial] = combine(out[spatial], element) over the reduced loops.
struct Reduction {
  StoreNest nest;
  BinaryOp combine;
  Scalar element;
  std::vector<size_t> spatial, reduced;  // indices into nest.loops
  std::optional<StoreNest> epilogue;
  std::optional<StoreNest> kept = {};  // the element is stored too, on the same loops
  std::function<Stmt(const Scalar& at)> hint = {};

  Scalar combined(const Scalar& a, const Scalar& b) const { return Binary::make(combine, a, b); }
  /// Returns the result, where all elements give `all`.
  Scalar from_init(const Scalar& all) const;
  /// Returns the neutral element of `combine`. For max and min it is the initial value, which may enter the result more
  /// than once.
  Scalar neutral() const;
};

/// Returns the nest as a reduction; nullopt when it has another form, or its elements depend on the result.
std::optional<Reduction> read_reduction(const StoreNest& nest);
/// Returns the statement as a reduction. `before` is the preceding statement or null; it may be the initialisation.
std::optional<Reduction> read_reduction(const Stmt& s, const Stmt& before);

/// Combines the lanes of a vector, the last dimension of a local buffer, in its first element: halves repeatedly.
Stmt combined_lanes(const Reduction& r, const Ref<Buffer>& vector);

}  // namespace sunmao
