// Work on weights that one or several functions do, told in the variables of the first of them.
#pragma once
#include <set>

#include "passes/weights/weight_dependence.h"

namespace sunmao {

/// A function that weight work is taken out of.
struct WorkSource {
  Ref<GlobalVar> var;
  Ref<Function> function;
  size_t inputs;
  WeightDependence dependence;

  std::vector<Ref<Var>> weights() const {
    return {function->params.begin() + static_cast<std::ptrdiff_t>(inputs), function->params.end()};
  }
};

struct WeightWork {
  struct Step {
    Binding binding;
    std::set<size_t> users;  // which of the functions do it
    bool is_constant;        // made of no weight
    bool is_lifted;
  };
  std::vector<Ref<Var>> weights;
  std::vector<Step> steps;
  std::unordered_map<Ref<Var>, size_t> step_indices;  // by the variables of their bindings
  bool reads_in_order = false;  // steps that functions do not share are done in the order of the weights that they read
  /// For each function, the common variable or symbol behind each of its own.
  struct Names {
    std::unordered_map<Ref<Var>, Ref<Var>> vars;
    std::unordered_map<Ref<SymVar>, Ref<SymVar>> symbols;
  };
  std::vector<Names> names;

  const Step* step_of(const Ref<Var>& common) const;
};

/// Which work of several functions is lifted: what all of them do; that, or, where they have nothing in common, what
/// each does; or what any of them does.
enum class Sharing : uint8_t { Common, CommonOrEach, Each };

/// Of one function all that it does on weights is lifted. Fails (E0527) when the weights of several differ, and (E0528)
/// when two of them prepare one weight in different ways, unless that is asked for: Sharing::Each.
WeightWork find_weight_work(const std::vector<WorkSource>& sources, Sharing sharing);

}  // namespace sunmao
