// Loads of a tensor that is stored in another layout.
#pragma once
#include <functional>

#include "loop/stmt.h"

namespace sunmao {

/// Returns where an element with these indices lies.
using Place = std::function<std::vector<Scalar>(const std::vector<Scalar>& indices)>;

/// Returns the statement with loads from `after` at their places instead of loads from `before`.
Stmt read_elsewhere(const Stmt& s, const Buffer& before, const Ref<Buffer>& after, const Place& place);

}  // namespace sunmao
