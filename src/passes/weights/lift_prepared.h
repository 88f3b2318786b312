// lift-transform-params: the prepared weights and symbols that functions need after lifting.
#pragma once
#include "passes/weights/lift_work.h"

namespace sunmao {

/// What the functions take in place of their raw weights.
struct PreparedWeights {
  std::vector<Ref<Var>> values;      // raw weights, then lifted values, as common variables
  std::vector<Ref<SymVar>> symbols;  // symbols that functions need and the types of prepared weights do not define
  /// For each function, its own variables whose bindings are removed.
  std::vector<std::unordered_set<Ref<Var>>> lifted;
  /// Returns the type of the shape that passes `symbols`.
  Type symbol_shape() const;
};
/// Returns the weights and lifted values that the functions use once the lifted steps of `work` are removed from them.
PreparedWeights find_prepared_weights(const std::vector<WorkSource>& sources, const WeightWork& work);

/// True when the prepared weights equal the function's weights, so that nothing is to be lifted.
bool is_all_prepared(const WeightWork& work, const PreparedWeights& prepared);

/// True for a lifted tuple: the transform returns its fields separately, because a prepared weight is a single tensor.
bool is_taken_apart(const Ref<Var>& v, const WeightWork& work);

}  // namespace sunmao
