// Where two results of a function differ by more than a pass may change them.
#pragma once
#include <optional>
#include <string>

#include "eval/value.h"
#include "passes/pass.h"

namespace sunmao {

/// In words, such as `result 1, element [0, 2]: 1.5 before, 2.5 after`; nothing where both are alike. Floats may round:
/// elements may be as far apart as their dtype's tolerance says, at the scale of the largest beside them. Of Changes
/// only kinds and shapes are compared.
std::optional<std::string> find_difference(const Value& before, const Value& after, Effect effect);

/// The largest distance between two numbers of results that are alike but for their numbers.
double largest_distance(const Value& before, const Value& after);

/// Whether every float in it is finite.
bool is_finite(const Value& value);

}  // namespace sunmao
