// What a call of permute_dims does to axes.
#pragma once
#include <optional>
#include <vector>

#include "ir/expr.h"

namespace sunmao {

/// Returns the permutation of a call of permute_dims, its axes counted from the front; nullopt where the rank is
/// unknown.
std::optional<std::vector<int64_t>> permutation_of(const Call& permute);

}  // namespace sunmao
