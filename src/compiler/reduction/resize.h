// Sizes in types, constants and weights replaced by others.
#pragma once
#include <functional>

#include "ir/expr.h"

namespace sunmao::reduction {

using MapSize = std::function<Scalar(const Scalar& size)>;

/// Returns the type with each dimension, shape value and known scalar mapped.
Type map_sizes(const Type& type, const MapSize& map);

/// Returns the elements of `array` that lie within `shape`, which is filled up with zeros where it is larger.
Array resized(const Array& array, const std::vector<int64_t>& shape);
/// Returns the array in the shape of a tensor type of the same rank; as it is where the type has symbols.
Array resized_to(const Array& array, const Type& type);

}  // namespace sunmao::reduction
