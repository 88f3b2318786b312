// Spelling of plain values in scripts: strings, numbers, names.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "support/dtype.h"

namespace sunmao::script {

/// Returns the text in double quotes, escaped such that the lexer restores the same bytes.
std::string quote(std::string_view text);
/// Returns a Python float literal: the shortest digits that parse to `value`, always with a point or an exponent.
/// Infinities and NaN are "inf", "-inf", "nan".
std::string spell_float(double value);
std::string spell_float(float value);
/// True when the text is a valid name: an identifier that is no Python keyword.
bool is_name(std::string_view text);
/// Returns a name similar to `hint`: characters that names cannot contain become underscores.
std::string to_name(std::string_view hint);

/// Parse a numeric literal, in which underscores are ignored; an integer may have a base prefix. Absent when malformed
/// and for an integer of more than 64 bits; a float out of range becomes an infinity or zero.
std::optional<uint64_t> read_integer(std::string_view text);
std::optional<double> read_double(std::string_view text);
std::optional<float> read_float(std::string_view text);
bool is_float_text(std::string_view text);

}  // namespace sunmao::script
