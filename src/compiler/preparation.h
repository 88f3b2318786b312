// Preparation: the steps from a model's raw weights to the weights that compiled functions take.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace sunmao {

/// A weight transform, to be run before the model's functions.
struct PreparingStep {
  std::string name;
  Ref<Function> function;          // the transform, without results that are raw weights
  std::vector<std::string> takes;  // names of the weights in its tuple parameter
  std::vector<std::string> gives;
};

/// The plan. Every weight has a unique name: a raw one the name in its source, a prepared one the name of its parameter
/// or, if another transform takes it, `<transform>.<i>`; a prepared one's is extended if it is taken.
struct Preparation {
  std::vector<std::pair<std::string, Type>> raw;  // in parameter order
  std::vector<PreparingStep> steps;
  std::map<std::string, std::map<std::string, std::string>> bound;  // function -> parameter -> weight
};

/// Returns the graph-level functions that take weights and are not transforms.
std::vector<std::string> find_weighted_entries(const Module& module);

/// Groups those of `entries` whose weight parameters have equal names and types, without symbols, and that have no
/// transform yet. Only groups of two or more are returned, each under an unused name for its common transform.
std::map<std::string, std::vector<std::string>> group_by_weights(const Module& module,
                                                                 const std::vector<std::string>& entries);

/// Plans the preparation for `entries`, after LiftTransformParams. Fails (E0520) when a transform does not name its
/// weights, and (E0521) for a weight that is no tensor, or that two functions take with different types.
Preparation plan_preparation(const Module& module, const std::vector<std::string>& entries);

}  // namespace sunmao
