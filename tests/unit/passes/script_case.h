// Script cases of passes, tests/passes/<pass>/<behaviour>.py, as text.
#pragma once
#include <string>
#include <vector>

#include "ir/module.h"

namespace sunmao {

struct ScriptCase {
  std::string pass, name, first_line;
  AttrMap arguments;
  std::vector<std::string> modules;  // the text of each, `Before` first
  /// Parses module `i`.
  Module module(size_t i) const;
};

/// Returns all script cases, sorted by path.
std::vector<ScriptCase> all_script_cases();

}  // namespace sunmao
