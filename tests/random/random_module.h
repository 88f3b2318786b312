// Random modules: a number of ops whose arguments are drawn from earlier results. A module is generated as a sequence
// of bindings and then restructured into branches, functions and tuples.
#pragma once
#include "eval/value.h"
#include "ir/module.h"
#include "ops/samples/sampler.h"

namespace sunmao {

struct RandomModule {
  Module module;  // with `main`, in normal form, and what it calls
  std::vector<Value> inputs;
  size_t run_inputs;  // number of leading inputs; weights follow
  Module straight;    // the same computation in one function with one block
  std::vector<Value> straight_inputs;
  std::vector<std::pair<std::string, int64_t>> sizes;  // values of symbols
};
/// Returns the module of a seed and the values for its parameters; the same seed always gives the same module. `dtype`
/// is what samples prefer.
RandomModule random_module(uint64_t seed, DTypeWish dtype = {});

}  // namespace sunmao
