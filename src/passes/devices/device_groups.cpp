#include "passes/devices/device_groups.h"

#include "passes/analysis/recursion.h"

namespace sunmao {

PrivateGroups::PrivateGroups(const Module& module) {
  std::vector<FunctionEntry> entries;
  for (const FunctionEntry& e : module.functions())
    if (sunmao::find<Function>(Expr(e.func)) && !e.func->attrs.has("global_symbol") && e.var->name != "main")
      entries.push_back(e);
  auto place = [&](const std::string& name) {
    group_of_[name] = groups_.size() - 1;
    groups_.back().push_back(name);
  };
  for (const std::vector<Ref<GlobalVar>>& circle : detect_recursion(Module().with_functions(entries))) {
    groups_.emplace_back();
    for (const Ref<GlobalVar>& member : circle) place(member->name);
  }
  for (const FunctionEntry& e : entries) {
    if (group_of_.contains(e.var->name)) continue;
    groups_.emplace_back();
    place(e.var->name);
  }
}

std::optional<size_t> PrivateGroups::find(const std::string& name) const {
  auto known = group_of_.find(name);
  return known == group_of_.end() ? std::nullopt : std::optional(known->second);
}

}  // namespace sunmao
