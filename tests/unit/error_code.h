// The error that an expression under test throws.
#pragma once
#include <string>

#include "support/diagnostic.h"

namespace sunmao {

/// Returns the code of the UserError that `f` throws, "no error" when it throws none.
template <class F>
std::string code_of(F f) {
  try {
    f();
  } catch (const UserError& e) {
    return e.diagnostics().front().code;
  }
  return "no error";
}

}  // namespace sunmao
