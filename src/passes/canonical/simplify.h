// The pass `simplify` with a given set of rules; tests check single rules with it.
#pragma once
#include <span>

#include "ir/module.h"
#include "ops/algebra/rule.h"

namespace sunmao {

Module simplify(const Module& m, std::span<const AlgebraicRule> rules);

}  // namespace sunmao
