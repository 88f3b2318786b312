// Topological order of bindings.
#pragma once
#include <functional>
#include <span>
#include <unordered_map>

#include "ir/expr.h"

namespace sunmao {

/// The casts of a function by the symbols that they define: those that stand in nothing before them.
using SymbolDefiners = std::unordered_map<Ref<SymVar>, Ref<Var>>;
SymbolDefiners symbol_definers(const Function& f);

/// What each of some bindings needs of the others: the variables that it reads, and the casts that define its symbols.
class BindingNeeds {
 public:
  BindingNeeds(std::span<const Binding> bindings, const SymbolDefiners& definers);
  /// Returns the places of the bindings that the one at `i` needs, once for each variable and cast.
  std::vector<size_t> of(size_t i) const;

 private:
  void add_definers(size_t i, std::vector<size_t>& out) const;
  const std::span<const Binding> bindings_;
  const SymbolDefiners& definers_;
  std::unordered_map<Ref<Var>, size_t> homes_;
};

/// Sorts bindings so that definitions precede uses, those of symbols too; bindings that are in such an order already
/// keep it. `on_cycle` is called with a variable that depends on itself, and must throw.
std::vector<Binding> in_order(const std::vector<Binding>& bindings, const std::function<void(const Var&)>& on_cycle,
                              const SymbolDefiners& definers = {});

}  // namespace sunmao
