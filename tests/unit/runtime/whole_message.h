// An error of the C API as one text.
#pragma once
#include <string>

#include "sunmao/runtime.h"

namespace sunmao::runtime::testing {

/// Returns "E0903 message; help", or "ok" after success.
inline std::string whole(const sunmao_error& error) {
  if (error.code[0] == '\0') return "ok";
  return std::string(error.code) + " " + error.message + (error.help[0] ? "; " : "") + error.help;
}

}  // namespace sunmao::runtime::testing
