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

struct ModuleWish {
  DTypeWish dtype = {};                  // what samples prefer
  Extent extent = Extent::Small;         // large modules have more ops and larger tensors
  bool computes_in_small_floats = true;  // has ops from floats of at most 8 bits to such floats
};
/// Returns the module of a seed and the values for its parameters; the same seed always gives the same module.
RandomModule random_module(uint64_t seed, const ModuleWish& wish = {});

}  // namespace sunmao
