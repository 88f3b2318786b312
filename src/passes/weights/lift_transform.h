// lift-transform-params: construction of the weight transform, and its inverse.
#pragma once
#include "passes/weights/lift_prepared.h"

namespace sunmao {

/// Returns the transform. It takes a tuple of the raw weights (`names`) and returns a tuple: a shape of the symbols, if
/// there are any, then the prepared values, tuples as their fields. If `old`, the transform so far, is not null, the
/// new one extends it.
Ref<Function> build_transform(const WeightWork& work, const PreparedWeights& prepared, const Ref<Function>& old,
                              const std::vector<std::string>& names, bool consume);

/// Returns the function before lifting: it takes the raw weights `names`, and contains the work of `transform`.
Ref<Function> undo_transform(const WorkSource& source, const Ref<Function>& transform,
                             const std::vector<std::string>& names);

}  // namespace sunmao
