// Symbolic sizes in .pt2 files: text written by sympy.srepr, such as `Add(Symbol('s77', integer=True), Integer(1))`.
#pragma once
#include <string_view>

#include "frontend/model_builder.h"

namespace sunmao::torch {

/// Parses the text to a scalar with symbols of the builder. Fails (E0709) when it is malformed or too long, or uses a
/// function that is not an integer function.
Scalar parse_scalar(std::string_view text, ModelBuilder& builder, const Span& span);

}  // namespace sunmao::torch
