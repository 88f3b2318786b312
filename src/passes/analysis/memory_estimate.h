// How much memory a module's functions take for tensors, before and after storage is shared.
#pragma once
#include "ir/module.h"

namespace sunmao {

struct MemoryEstimate {
  struct Count {
    int number = 0, dynamic = 0;  // of constant size, and of a size that a run decides
    int64_t bytes = 0;            // of the constant ones
  };
  Count tensors;  // each tensor for itself
  Count planned;  // pieces of memory, and tensors that have none of their own
};

MemoryEstimate estimate_memory(const Function& function);

/// The estimates of all functions that allocate, as text.
std::string describe_memory(const Module& module);

}  // namespace sunmao
