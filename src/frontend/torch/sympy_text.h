// Expressions as sympy.srepr writes them, such as `LessThan(Symbol('u0', integer=True), Integer(12))`, as a tree.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

namespace sunmao::torch {

struct SympyNode {
  std::string_view head;  // the function or class; empty for what is quoted and for digits
  std::string_view text;  // all of it as it stands, without quotes
  std::vector<SympyNode> args;
};

/// Parses the text, to which the result refers; nothing when it is malformed or too long.
std::optional<SympyNode> parse_sympy(std::string_view text);

/// True for an expression of integers that `parse_scalar` takes.
bool is_of_integers(const SympyNode& node);

/// Returns the names of the symbols in it.
std::vector<std::string_view> symbol_names(const SympyNode& node);

}  // namespace sunmao::torch
