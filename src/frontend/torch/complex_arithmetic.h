// Arithmetic on complex numbers that are pairs of tensors.
#pragma once
#include "frontend/torch/complex.h"

namespace sunmao::torch {

/// Returns the dtype of the parts of a node's result; throws UnsupportedUse when that is real.
DType dtype_of_parts(const NodeContext& n);
/// Returns an operand, a tensor or a number, in the dtype of the result's parts.
Complex complex_operand(const NodeContext& n, std::string_view name);
/// Returns both parts of a tensor in its own dtype; those of a real one have imaginary parts of 0.
Complex both_parts(const NodeContext& n, std::string_view name);

Complex times(const NodeContext& n, const Complex& a, const Complex& b);
/// Returns a / b, by Smith's rule: no part of the way is larger or smaller than the result has to be.
Complex over(const NodeContext& n, const Complex& a, const Complex& b);
/// Returns a + b for the op "add", or a - b for "subtract".
Complex sum_of(const NodeContext& n, const char* op, const Complex& a, const Complex& b);
Expr magnitude(const NodeContext& n, const Complex& z);
/// Returns the numbers of these magnitudes and angles.
Complex polar_of(const NodeContext& n, const Expr& size, const Expr& turn);

/// Returns the rows of functions of complex numbers.
std::vector<Converter> complex_function_forms();

}  // namespace sunmao::torch
