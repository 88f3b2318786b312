// The script cases of passes: tests/passes/<pass>/<behaviour>.py, read but not run.
#pragma once
#include <string>
#include <vector>

#include "ir/module.h"

namespace sunmao {

struct ScriptCase {
  std::string pass, name, first_line;
  AttrMap arguments;
  std::vector<std::string> modules;  // the text of each, `Before` first
  /// The module at this place.
  Module module(size_t i) const;
};

/// All of them, in the order of their paths.
std::vector<ScriptCase> all_script_cases();

}  // namespace sunmao
