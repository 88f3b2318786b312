// Groups of bindings of a dataflow block that are outlined into functions.
#pragma once
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "ir/module.h"

namespace sunmao {

/// Disjoint groups of bindings of one block, with queries by the variables that they bind.
class BindingGroups {
 public:
  /// Each group is not empty; no binding is in two groups.
  BindingGroups(const BindingBlock& block, const std::vector<std::span<const Binding>>& members);
  /// Returns the index of the group that binds the variable; absent when none does.
  std::optional<size_t> home(const Ref<Var>& var) const;
  /// Returns the variables of group `g` that are used outside it, in order of first use, followed by those that leave
  /// the block; if there are none, the variable of the group's last binding.
  const std::vector<Ref<Var>>& outputs(size_t g) const { return outputs_[g]; }
  /// True when a variable of group `g` is used outside it or leaves the block.
  bool is_used(size_t g) const { return is_used_[g]; }
  /// Returns the groups other than its own whose variables the binding reads, once for each such variable.
  std::vector<size_t> read_by(const Binding& b) const;

 private:
  void add_output(size_t group, const Ref<Var>& var);
  std::unordered_map<Ref<Var>, size_t> homes_;
  std::vector<std::vector<Ref<Var>>> outputs_;
  std::vector<bool> is_used_;
};

/// Returns a pure function of the body with fresh variables. Symbols that no parameter defines become a shape
/// parameter, whose argument is appended to `args`.
Ref<Function> close_function(std::vector<Ref<Var>> params, const Ref<SeqExpr>& body, Attrs attrs,
                             std::vector<Expr>& args);

}  // namespace sunmao
