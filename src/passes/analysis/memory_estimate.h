// Analysis: bytes that functions allocate for tensors, with and without memory planning.
#pragma once
#include "ir/module.h"

namespace sunmao {

struct MemoryEstimate {
  struct Count {
    int number = 0, dynamic = 0;  // allocations of constant size, and of sizes known only at run time
    int64_t bytes = 0;            // total of the allocations of constant size
  };
  Count tensors;  // without planning: one allocation per tensor
  Count planned;  // with planning: storages, and tensors allocated without a storage
};

MemoryEstimate estimate_memory(const Function& function);

/// Returns the estimates of all graph-level functions, as text; "" when there is none.
std::string describe_memory(const Module& module);

}  // namespace sunmao
