#include "cli/decimal_option.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace sunmao::cli {
namespace {

/// Says why a text is not a number within the limits; empty when it is one.
std::string refusal(const std::string& text, DecimalLimits limits) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool is_number = error == std::errc() && stop == end && std::isfinite(value);
  if (is_number && value >= limits.least && value <= limits.greatest) return {};
  return fmt::format("`{}` is not a number from {} to {}", text, limits.least, limits.greatest);
}

}  // namespace

CLI::Option* add_decimal(CLI::App& app, const std::string& name, double& value, DecimalLimits limits,
                         const std::string& help) {
  return app.add_option(name, value, help)
      ->check(CLI::Validator([limits](std::string& text) { return refusal(text, limits); }, std::string()));
}

}  // namespace sunmao::cli
