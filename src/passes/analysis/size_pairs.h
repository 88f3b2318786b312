// The sizes that a cast compares: what it says, beside what the type of its value says.
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "ir/type.h"

namespace sunmao {

struct SizePair {
  Scalar expected, given;
};

/// Returns the sizes of a type, of tensors and shapes in it, beside those of another; nullopt for types that differ in
/// another way than in sizes.
std::optional<std::vector<SizePair>> size_pairs(const Type& expected, const Type& given);

}  // namespace sunmao
