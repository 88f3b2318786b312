// Numbers that a program computes with while it runs, such as an `item()` times 2.0, as tensors of rank 0: int64,
// float64 or bool.
#pragma once
#include <functional>

#include "frontend/model_builder.h"
#include "frontend/torch/sympy_text.h"

namespace sunmao::torch {

/// Returns the value of a symbol; throws UnsupportedUse when it has none.
using ValueOfSymbol = std::function<Expr(std::string_view name)>;

/// Returns the value of an expression. Throws UnsupportedUse for functions that are not known.
Expr number_of(const SympyNode& node, const ValueOfSymbol& symbol, ModelBuilder& builder, const Span& span);

}  // namespace sunmao::torch
