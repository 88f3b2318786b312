// The transform of a function's weights, and a function put together with it again.
#pragma once
#include "passes/weights/lift_prepared.h"

namespace sunmao {

/// The transform: it takes one tuple, the raw weights in order, and gives one: the symbols as a shape, if there are
/// any, then the values; of one that is a tuple, its fields. Behind `old`, which prepared the weights so far, if there
/// is one. `names` are those of the raw weights.
Ref<Function> build_transform(const WeightWork& work, const PreparedWeights& prepared, const Ref<Function>& old,
                              const std::vector<std::string>& names, bool consume);

/// The function before it was lifted: it takes the raw weights again, under `names`, and does what `transform` did.
Ref<Function> undo_transform(const WorkSource& source, const Ref<Function>& transform,
                             const std::vector<std::string>& names);

}  // namespace sunmao
