// Weight dependence: which bindings of a function depend on its weights alone, and so need no run-time input.
#pragma once
#include <unordered_set>

#include "ir/walk.h"

namespace sunmao {

/// The number of leading run-time inputs that `num_input` states; nullopt without the attribute. Fails (E0502) when it
/// is not a number from 0 to the number of parameters.
std::optional<size_t> num_input(const Function& f, const std::string& name);

struct WeightDependence {
  /// Variables that are weights, or computed from weights alone.
  std::unordered_set<Ref<Var>> weight_only;
  /// Variables computed from neither weights nor inputs: they may be computed on both sides.
  std::unordered_set<Ref<Var>> constant;
  /// The bindings behind both sets, in order.
  std::vector<Binding> bindings;
  /// Symbols that weights define, or casts of what is computed from them.
  std::unordered_set<Ref<SymVar>> symbols;
  /// Bindings that read weights and no run-time input, and yet stay: each with what holds it.
  struct Kept {
    Binding binding;
    std::string reason;
  };
  std::vector<Kept> kept;
};

/// Looks at the bindings of the body's own blocks, and of branches that stay.
WeightDependence find_weight_dependence(const Function& f, size_t inputs, const Module& module);

}  // namespace sunmao
