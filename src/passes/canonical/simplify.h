// Algebraic simplification by some of the rules, for who checks them one by one.
#pragma once
#include <span>

#include "ir/module.h"
#include "ops/algebra/rule.h"

namespace sunmao {

Module simplify(const Module& m, std::span<const AlgebraicRule> rules);

}  // namespace sunmao
