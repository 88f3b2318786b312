// lift-transform-params: the work on weights that one or several functions do, in terms of the first function's
// variables.
#pragma once
#include <set>

#include "passes/weights/weight_dependence.h"

namespace sunmao {

/// A function from which weight work is lifted.
struct WorkSource {
  Ref<GlobalVar> var;
  Ref<Function> function;
  size_t inputs;
  WeightDependence dependence;

  std::vector<Ref<Var>> weights() const {
    return {function->params.begin() + static_cast<std::ptrdiff_t>(inputs), function->params.end()};
  }
};

/// The work on weights of all functions; equal steps are one step.
struct WeightWork {
  struct Step {
    Binding binding;
    std::set<size_t> users;  // indices of the functions that contain this step
    bool is_constant;        // depends on no weight
    bool is_lifted;
  };
  std::vector<Ref<Var>> weights;
  std::vector<Step> steps;
  std::unordered_map<Ref<Var>, size_t> step_indices;  // indices of steps by bound variable
  bool reads_in_order = false;                        // lifted steps are to be sorted by the last weight that they read
  /// Maps each function's own variables and symbols to the common ones.
  struct Names {
    std::unordered_map<Ref<Var>, Ref<Var>> vars;
    std::unordered_map<Ref<SymVar>, Ref<SymVar>> symbols;
  };
  std::vector<Names> names;

  const Step* step_of(const Ref<Var>& common) const;
};

/// Which work of several functions is lifted: the steps common to all; those, or all steps if there are no common ones;
/// or all steps of every function.
enum class Sharing : uint8_t { Common, CommonOrEach, Each };

/// Returns the weight work, with the steps to lift marked; for a single function, these are all steps. Fails (E0527)
/// when the weights of several functions differ, and (E0528) when two of them prepare a weight in different ways,
/// except with Sharing::Each.
WeightWork find_weight_work(const std::vector<WorkSource>& sources, Sharing sharing);

}  // namespace sunmao
