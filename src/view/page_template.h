// The texts of src/view/page/, compiled in.
#pragma once
#include <string_view>

namespace sunmao::view {

/// HTML with `{{title}}`, `{{style}}`, `{{data}}` and `{{script}}`.
std::string_view page_html();
std::string_view page_style();
std::string_view page_script();

}  // namespace sunmao::view
