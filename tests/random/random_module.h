// Random modules: a function of so many ops, each drawn from the samples, on what the ones before it give.
#pragma once
#include "eval/value.h"
#include "ir/module.h"

namespace sunmao {

struct RandomModule {
  Module module;  // `main`, in normal form
  std::vector<Value> inputs;
};
/// The same seed gives the same module and the same values.
RandomModule random_module(uint64_t seed);

}  // namespace sunmao
