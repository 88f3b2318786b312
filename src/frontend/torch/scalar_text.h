// Symbolic sizes of a .pt2: text such as `Add(Symbol('s77', integer=True), Integer(1))`, which sympy.srepr wrote.
#pragma once
#include <string_view>

#include "frontend/model_builder.h"

namespace sunmao::torch {

/// The scalar that the text stands for; symbols come from the builder. E0709 when it is no such text, too long, or a
/// function of it is not an integer one.
Scalar parse_scalar(std::string_view text, ModelBuilder& builder, const Span& span);

}  // namespace sunmao::torch
