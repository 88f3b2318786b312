// Options that take a decimal number. CLI11 alone reads `nan` as a number, which no limits exclude.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace sunmao::cli {

/// The least and the greatest number that an option takes.
struct DecimalLimits {
  double least = 0;
  double greatest = 0;
};

/// Adds an option for a decimal number within limits, such as `0.5` or `1e-3`. Every option of a floating type is added
/// by this function: other text, `nan`, `inf` and numbers beyond the limits are refused (E0001).
CLI::Option* add_decimal(CLI::App& app, const std::string& name, double& value, DecimalLimits limits,
                         const std::string& help);

}  // namespace sunmao::cli
