// What is left of a function when the work on its weights is lifted.
#pragma once
#include "passes/weights/lift_prepared.h"

namespace sunmao {

/// The function, the one at `index` among those of the work, without what was lifted: prepared weights are its
/// parameters in place of raw ones, under their own names, no two of them the same.
Ref<Function> build_remainder(const WorkSource& source, const WeightWork& work, size_t index,
                              const PreparedWeights& prepared);

}  // namespace sunmao
