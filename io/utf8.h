// Encoding and decoding of UTF-8, one code point at a time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sunmao::io {

/// Returns the length (1 to 4) of the code point at the front of `text`, or 0 when it is not well-formed UTF-8
/// (overlong forms, surrogates and values above U+10FFFF are not).
size_t utf8_length(std::string_view text);

bool is_utf8(std::string_view text);

/// Writes `code_point` (at most U+10FFFF, no surrogate) to `out`; returns the number of bytes, at most 4.
size_t encode_utf8(uint32_t code_point, char* out);

}  // namespace sunmao::io
