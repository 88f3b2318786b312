// Script cases of passes, tests/passes/<pass>/<behaviour>.py, as text.
#pragma once
#include <ostream>
#include <string>
#include <vector>

#include "ir/module.h"

namespace sunmao {

/// An error that a case expects. Its line in the file is 0 for an error without a place.
struct ExpectedError {
  std::string code, words;
  int line;
};

struct ScriptCase {
  std::string pass, name, first_line;
  AttrMap arguments;
  std::vector<std::string> modules;  // the text of each, `Before` first, at its lines in the file
  std::vector<ExpectedError> errors;
  /// Parses module `i`.
  Module module(size_t i) const;
};

void PrintTo(const ScriptCase& c, std::ostream* out);

/// Returns all script cases, sorted by path.
std::vector<ScriptCase> all_script_cases();

}  // namespace sunmao
