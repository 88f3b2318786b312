// Adds structure to a straight line of bindings: the same results through branches, functions and tuples.
#pragma once
#include "ir/module.h"
#include "ops/samples/sampler.h"

namespace sunmao {

struct Structured {
  Module module;                     // with `main`, and what it calls
  std::vector<Ref<Var>> conditions;  // conditions of branches: scalar parameters of `main` after the run-time inputs
};
/// Returns a module whose `main` computes what `straight` computes, from the same parameters and any `conditions`.
/// Sequences of its bindings are moved into branches, functions of the module and local closures, nested in each other,
/// and values pass through tuples.
Structured structured(const Function& straight, Sampler& random);

}  // namespace sunmao
