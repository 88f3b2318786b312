// The function that an error of a pass is about, for passes that go function by function.
#pragma once
#include "ir/module.h"
#include "support/diagnostic.h"

namespace sunmao {

/// The key in `Diagnostic::details` under which the function stands.
inline constexpr const char* kFunctionDetail = "function";

/// Returns what `body` returns; errors that it throws get a note that names the function.
template <class Body>
auto in_function(const Module& module, const Ref<Function>& function, const Body& body) {
  try {
    return body();
  } catch (const UserError& error) {
    std::vector<Diagnostic> found = error.diagnostics();
    for (const FunctionEntry& e : module.functions()) {
      if (e.func.get() != function.get()) continue;
      for (Diagnostic& d : found) {
        d.notes.push_back(fmt::format("in the function `{}`", e.var->name));
        d.details.push_back({{kFunctionDetail, e.var->name}});
      }
    }
    throw UserError(std::move(found));
  }
}

}  // namespace sunmao
