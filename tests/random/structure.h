// Adds structure to a sequence of bindings: the same results are computed through branches, functions and tuples.
#pragma once
#include "ir/module.h"
#include "ops/samples/sampler.h"

namespace sunmao {

struct Structured {
  Module module;                     // with `main`, and what it calls
  std::vector<Ref<Var>> conditions;  // conditions of branches: scalar parameters of `main` after the run-time inputs
};
/// Returns a module whose `main` computes the results of `straight` from the same parameters and additional
/// `conditions`. Ranges of its bindings move into branches, functions of the module and local closures, nested in each
/// other, and values pass through tuples.
Structured structured(const Function& straight, Sampler& random);

}  // namespace sunmao
