// Analysis: bindings that depend on weights alone, and thus on no run-time input.
#pragma once
#include <unordered_set>

#include "ir/walk.h"

namespace sunmao {

/// Returns the attribute `num_input`, the number of leading run-time inputs; nullopt when it is absent. Fails (E0502)
/// unless it is a number from 0 to the number of parameters.
std::optional<size_t> num_input(const Function& f, const std::string& name);

struct WeightDependence {
  /// Weights, and variables computed from weights alone.
  std::unordered_set<Ref<Var>> weight_only;
  /// Variables that depend on neither weights nor inputs; they may be computed both in the transform and the function.
  std::unordered_set<Ref<Var>> constant;
  /// The bindings of the variables in both sets, in order.
  std::vector<Binding> bindings;
  /// Symbols defined by weights, or by casts of values computed from weights.
  std::unordered_set<Ref<SymVar>> symbols;
  /// Bindings that depend on weights and no run-time input but cannot be lifted, each with the reason.
  struct Kept {
    Binding binding;
    std::string reason;
  };
  std::vector<Kept> kept;
};

/// Examines the bindings of the body's blocks, and of branches that cannot be lifted.
WeightDependence find_weight_dependence(const Function& f, const std::vector<Ref<Var>>& weights, const Module& module);
/// The same, where all parameters behind the first `inputs` are weights.
WeightDependence find_weight_dependence(const Function& f, size_t inputs, const Module& module);

}  // namespace sunmao
