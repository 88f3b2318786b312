// lift-transform-params: the function that remains after the work on its weights is lifted.
#pragma once
#include "passes/weights/lift_prepared.h"

namespace sunmao {

/// Returns the function with index `index` in the work without its lifted bindings. Prepared weights, with their own
/// unique names, replace the raw weights as parameters.
Ref<Function> build_remainder(const WorkSource& source, const WeightWork& work, size_t index,
                              const PreparedWeights& prepared);

}  // namespace sunmao
