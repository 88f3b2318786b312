// Names of a model's file as names of a script.
#pragma once
#include <string>
#include <string_view>

#include "ir/builder.h"

namespace sunmao {

/// Returns a script identifier for `name`, of at most 81 characters: those other than letters and digits become `_`, or
/// are dropped at the beginning.
std::string identifier(std::string_view name);

/// Returns the script identifier that TVM's importers make of an input's name: others than letters and digits become
/// `_`, and `input_` stands before a digit.
std::string input_identifier(std::string_view name);

/// True when a name is valid in scripts and in JSON: UTF-8 without control characters.
bool is_text(std::string_view name);

/// Keeps the names that a script cannot use for a variable from being given.
void reserve_words(NameSupply& names);

}  // namespace sunmao
