// Preparation: how a compiled model gets from the weights that its source has to those that its functions take.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace sunmao {

/// One transform, as it runs before anything else does.
struct PreparingStep {
  std::string name;
  Ref<Function> function;          // the transform, without the fields of its result that are raw weights
  std::vector<std::string> takes;  // the weights in its tuple, by their names
  std::vector<std::string> gives;
};

/// Weights have one name each: raw ones that of the source, prepared ones that of the parameter which they become,
/// longer where that is taken.
struct Preparation {
  std::vector<std::pair<std::string, Type>> raw;  // in the order of the parameters
  std::vector<PreparingStep> steps;
  std::map<std::string, std::map<std::string, std::string>> bound;  // function -> parameter -> weight
};

/// The graph-level functions that take weights and prepare none.
std::vector<std::string> find_weighted_entries(const Module& module);

/// Those of `entries` that have the same weights, none prepared yet, by a free name for the one transform that they can
/// have.
std::map<std::string, std::vector<std::string>> group_by_weights(const Module& module,
                                                                 const std::vector<std::string>& entries);

/// For those functions, behind LiftTransformParams. Fails with E0520 where a transform does not say what its weights
/// are called, with E0521 for a weight that is no array.
Preparation plan_preparation(const Module& module, const std::vector<std::string>& entries);

}  // namespace sunmao
