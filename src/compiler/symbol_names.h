// Names of symbolic dimensions, in place of those that a model's file has for them.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "ir/module.h"

namespace sunmao {

/// An axis of an input of `main`, and the name for the symbol that is its size.
struct NamedAxis {
  std::string input;  // in the model's file, or the identifier made of it
  int64_t axis;       // negative ones count from the end
  std::string name;
};

/// Returns the module with other names for symbols of `main`, by their own names. Names that `main` has no symbol for,
/// and those that another symbol has already, are left out.
Module with_symbol_names(const Module& module, const std::map<std::string, std::string>& names);

/// Returns the module with these names for axes. Fails (E0512) where there is no such input or axis, where a size is
/// fixed, and where one name is given to two sizes or one size has two names.
Module with_named_axes(const Module& module, const std::vector<NamedAxis>& axes);

}  // namespace sunmao
