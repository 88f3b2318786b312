// Which parameters of a module's functions are weights, also in the functions that a program calls, such as loops.
#pragma once
#include <map>
#include <unordered_set>

#include "ir/module.h"

namespace sunmao {

/// Returns the parameters of a function that are weights; none where it does not say how many inputs it has.
std::unordered_set<Ref<Var>> weight_params(const Function& f, const std::string& name);

/// Parameters that are weights, by the names of their functions.
using WeightsOfFunctions = std::map<std::string, std::unordered_set<Ref<Var>>>;

/// Returns the parameters behind the inputs of the functions that say how many they have, and those parameters of known
/// size of private functions that are weights in every call: a weight of the caller, or, in the function itself, the
/// parameter. Functions that call each other in a circle, are used as values or stand for a group of ops have none.
WeightsOfFunctions find_weights(const Module& m);

}  // namespace sunmao
