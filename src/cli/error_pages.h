// The pages of docs/errors, embedded by cmake/embed_error_pages.cmake.
#pragma once
#include <span>
#include <string_view>

namespace sunmao::cli {

struct ErrorPage {
  std::string_view code;  // "E0801"
  std::string_view text;  // the page's Markdown
};

/// Returns all pages, sorted by code.
std::span<const ErrorPage> error_pages();

}  // namespace sunmao::cli
