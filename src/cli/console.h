// What reaches the terminal: text on standard output and errors, with colour for people alone.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace sunmao::cli {

/// Whether the stream is a terminal that shows colour (NO_COLOR turns it off).
bool has_color(std::FILE* stream);

/// The columns of the terminal that standard output is; 0 when it is none.
size_t terminal_width();
/// `text` in lines of at most `width` columns (0: one line), broken at spaces; all but the first begin with `indent`.
std::string wrapped(std::string_view text, size_t width, std::string_view indent);

/// Fails (E0804) when not all of it could be written.
void write_out(std::string_view text);
/// Best effort: there is nowhere else to say that it failed.
void write_err(std::string_view text);

/// `text` between the escapes of an attribute when standard output has colour.
std::string bold(std::string_view text);
std::string dim(std::string_view text);
std::string green(std::string_view text);
std::string red(std::string_view text);

/// "271.4 KB", in units of 1000.
std::string byte_size(uint64_t bytes);
/// "12.3 us", "4.05 ms".
std::string duration(double seconds);

}  // namespace sunmao::cli
