// The packed layout that a contraction wants for its weight: panels of columns, or the steps innermost where columns
// are few.
#pragma once
#include <functional>

#include "passes/schedule/contraction/contraction.h"

namespace sunmao {

/// A layout of a weight: the shape of the buffer, and where in it an element of the weight lies.
struct WeightLayout {
  std::vector<Scalar> shape;
  std::function<std::vector<Scalar>(const std::vector<Scalar>& indices)> place;
};

/// Returns the layout in which a kernel's contraction reads a weight best; nullopt when it may stay as it is, or when
/// other statements of the kernel read it too. It does not depend on the target, because all code images of an artifact
/// share its weights.
std::optional<WeightLayout> wanted_layout(const PrimFunc& kernel, const Buffer& weight);

}  // namespace sunmao
