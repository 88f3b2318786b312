// What functions need of their weights once the work on them is lifted.
#pragma once
#include "passes/weights/lift_work.h"

namespace sunmao {

struct PreparedWeights {
  std::vector<Ref<Var>> values;      // raw weights first, then what was lifted, in common variables
  std::vector<Ref<SymVar>> symbols;  // what functions need to know and no prepared weight says
  /// For each function its own variables whose bindings leave it.
  std::vector<std::unordered_set<Ref<Var>>> lifted;
  /// The symbols as the type of the shape that tells them.
  Type symbol_shape() const;
};
PreparedWeights find_prepared_weights(const std::vector<WorkSource>& sources, const WeightWork& work);

/// Whether a function takes just that already: there is nothing to lift.
bool is_all_prepared(const WeightWork& work, const PreparedWeights& prepared);

/// Whether the transform gives the fields of a value one by one: a prepared weight is one piece of data.
bool is_taken_apart(const Ref<Var>& v, const WeightWork& work);

}  // namespace sunmao
