// What of a module becomes bytecode: entry points, and what they call.
#include <algorithm>
#include <functional>

#include "codegen/vm/flat_function.h"
#include "support/diagnostic.h"

namespace sunmao {

std::vector<std::string> entries_of(const Module& module, const ProgramOptions& options) {
  if (!options.entries.empty()) return options.entries;
  std::vector<std::string> names;
  for (const FunctionEntry& e : module.functions())
    if (find<Function>(Expr(e.func)) && e.func->attrs.has("global_symbol")) names.push_back(e.var->name);
  if (names.empty())
    fail("E1022", {}, "the module has no entry point",
         "give a function the attribute global_symbol, or name it `main`");
  return names;
}

namespace {

// Calls `visit` with a function and those that it calls.
void visit_called(const Module& module, const std::string& function,
                  const std::function<void(const FlatFunction&)>& visit) {
  std::vector<std::string> reached = {function};
  for (size_t i = 0; i < reached.size(); ++i) {
    const FlatFunction flat = flatten(reached[i], *module.find_as<Function>(reached[i]), module, i > 0);
    visit(flat);
    for (const FlatStep& step : flat.steps)
      for (const FlatCallee& c : step.is_host ? std::vector<FlatCallee>() : step.callees)
        if (std::find(reached.begin() + 1, reached.end(), c.function) == reached.end()) reached.push_back(c.function);
  }
}

}  // namespace

bool calls_host(const Module& module, const std::string& function) {
  bool is_called = false;
  visit_called(module, function, [&](const FlatFunction& flat) { is_called = is_called || !flat.hosts.empty(); });
  return is_called;
}

std::optional<Diagnostic> find_obstacle(const Module& module, const std::string& function) {
  if (!module.find_as<Function>(function)) return std::nullopt;
  try {
    visit_called(module, function, [](const FlatFunction&) {});
  } catch (const UserError& e) {
    if (e.diagnostics().front().code == "E1020") return e.diagnostics().front();
    throw;
  }
  return std::nullopt;
}

}  // namespace sunmao
