// Values that are sizes: shapes and integers, and the tensors that hold them in memory.
#pragma once
#include <optional>
#include <vector>

#include "ir/type.h"

namespace sunmao {

/// Returns the sizes of a parameter: a tensor's dimensions, or the values of a shape or number; nullopt if they are not
/// known.
std::optional<std::vector<Scalar>> sizes_of(const Type& type);

/// Returns the type of a tensor that holds the sizes of a shape, or an integer; null for other types.
Type type_of_sizes(const Type& type);

/// True for an integer of which no symbol says the value: it is in memory alone.
bool is_number_alone(const Type& type);

}  // namespace sunmao
