#include "passes/pattern/binding_groups.h"

#include <algorithm>
#include <optional>

#include "ir/copy.h"
#include "passes/analysis/variables.h"

namespace sunmao {

BindingGroups::BindingGroups(const BindingBlock& block, const std::vector<std::span<const Binding>>& members)
    : outputs_(members.size()) {
  for (size_t g = 0; g < members.size(); ++g)
    for (const Binding& b : members[g]) homes_.emplace(b.var, g);
  for (const Binding& b : block.bindings) {
    const std::optional<size_t> own = home(b.var);
    for (const Ref<Var>& read : free_vars(b.value))
      if (const std::optional<size_t> group = home(read); group && group != own) add_output(*group, read);
  }
  for (size_t g = 0; g < members.size(); ++g) {
    for (const Binding& b : members[g])
      if (!b.var->is_dataflow) add_output(g, b.var);
    is_used_.push_back(!outputs_[g].empty());
    if (outputs_[g].empty()) add_output(g, members[g].back().var);
  }
}

std::optional<size_t> BindingGroups::home(const Ref<Var>& var) const {
  auto it = homes_.find(var);
  return it == homes_.end() ? std::nullopt : std::optional(it->second);
}

std::vector<size_t> BindingGroups::read_by(const Binding& b) const {
  std::vector<size_t> groups;
  for (const Ref<Var>& read : free_vars(b.value))
    if (const std::optional<size_t> group = home(read); group && group != home(b.var)) groups.push_back(*group);
  return groups;
}

void BindingGroups::add_output(size_t group, const Ref<Var>& var) {
  std::vector<Ref<Var>>& outputs = outputs_[group];
  if (std::ranges::find(outputs, var) == outputs.end()) outputs.push_back(var);
}

Ref<Function> close_function(std::vector<Ref<Var>> params, const Ref<SeqExpr>& body, Attrs attrs,
                             std::vector<Expr>& args) {
  Ref<Function> f = Function::make(params, body, nullptr, true, attrs);
  std::vector<Scalar> missing;
  for (const Ref<SymVar>& s : free_symbolic_vars(Expr(f))) missing.push_back(s);
  if (!missing.empty()) {
    params.push_back(Var::make("symbols", ShapeType::make(missing)));
    args.push_back(ShapeExpr::make(missing));
    f = Function::make(std::move(params), body, nullptr, true, std::move(attrs));
  }
  return FreshCopy().copy(f);
}

}  // namespace sunmao
