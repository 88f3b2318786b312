// The functions of a module that callers of its bytecode see.
#include "codegen/vm/program.h"
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

}  // namespace sunmao
