// How scripts spell plain values: strings, numbers, names. Both the printer and messages use it.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "support/dtype.h"

namespace sunmao::script {

/// The text in double quotes, escaped so that the lexer gives back the same bytes.
std::string quote(std::string_view text);
/// A Python float: the shortest digits that read back as `value`; always with a point or an exponent. Infinities and
/// NaN are "inf", "-inf", "nan".
std::string spell_float(double value);
std::string spell_float(float value);
/// Whether text may stand as a name: an identifier that is no word of Python.
bool is_name(std::string_view text);
/// A name near `hint`: what may not stand in a name becomes an underscore.
std::string to_name(std::string_view hint);

/// A number as written: digits with underscores, a base prefix, a fraction. nullopt when it does not fit.
std::optional<uint64_t> read_integer(std::string_view text);
std::optional<double> read_double(std::string_view text);
std::optional<float> read_float(std::string_view text);
bool is_float_text(std::string_view text);

}  // namespace sunmao::script
