// Errors as JSON, for programs that call a command with --json.
#pragma once
#include <string>

#include "support/diagnostic.h"

namespace sunmao::cli {

/// Returns {"errors": [{"code", "message", "place", "notes", "help", "details"}]}.
std::string error_json(const UserError& error);

}  // namespace sunmao::cli
