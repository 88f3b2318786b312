// Text for the inside of a page.
#pragma once
#include <string>
#include <string_view>

namespace sunmao::view {

/// Returns the text in zlib's format, in base64.
std::string compressed(std::string_view text);

}  // namespace sunmao::view
