#include "passes/analysis/named_functions.h"

#include "support/diagnostic.h"
#include "support/spelling.h"

namespace sunmao {

void require_functions(const Module& m, const char* pass, const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const FunctionEntry& e : m.functions()) known.push_back(e.var->name);
  for (const std::string& name : names)
    if (!m.find(name))
      fail("E0515", {}, fmt::format("{}: the module has no function `{}`", pass, name), did_you_mean(name, known));
}

}  // namespace sunmao
