// Two kernels as one, of which the first hands its result to the second.
#pragma once
#include "passes/analysis/kernel_call.h"

namespace sunmao {

struct JoinedPair {
  Ref<PrimFunc> func;
  Ref<Buffer> between;  // what the first hands to the second
  std::vector<Expr> inputs;
};

/// `shared` is the input of the second that is the result of the first.
JoinedPair join_pair(const KernelCall& first, const KernelCall& second, size_t shared);

}  // namespace sunmao
