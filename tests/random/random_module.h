// Random modules: so many ops, each drawn from the samples, on what the ones before it give; in one straight line, and
// in branches, functions and tuples.
#pragma once
#include "eval/value.h"
#include "ir/module.h"

namespace sunmao {

struct RandomModule {
  Module module;  // with `main`, in normal form, and what it calls
  std::vector<Value> inputs;
  size_t run_inputs;  // so many come first; weights follow
  Module straight;    // the same in one function of one block
  std::vector<Value> straight_inputs;
  std::vector<std::pair<std::string, int64_t>> sizes;  // what symbols stand for
};
/// The same seed gives the same module and the same values.
RandomModule random_module(uint64_t seed);

}  // namespace sunmao
