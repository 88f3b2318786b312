// The structure of a program around a straight line of bindings: the same results by other ways.
#pragma once
#include "ir/module.h"
#include "ops/samples/sampler.h"

namespace sunmao {

struct Structured {
  Module module;                     // with `main`, and what it calls
  std::vector<Ref<Var>> conditions;  // what branches ask: scalar parameters of `main` behind the inputs of the run
};
/// A module whose `main` computes what `straight` does, of the same parameters: runs of its bindings stand in branches,
/// in functions of the module and in local ones that capture, also inside of each other, and values pass through
/// tuples.
Structured structured(const Function& straight, Sampler& random);

}  // namespace sunmao
