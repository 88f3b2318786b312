// Joins kernels into one function.
#pragma once
#include "loop/prim_func.h"

namespace sunmao {

/// A kernel applied to buffers, one for each of its buffer parameters in order.
struct KernelUse {
  Ref<PrimFunc> kernel;
  std::vector<Ref<Buffer>> buffers;
};

/// Returns a function with these inputs and outputs that runs the kernels in order. Other buffers that they use are
/// allocated in the function; symbols that are not a whole dimension of a parameter become scalar parameters at the
/// end.
Ref<PrimFunc> join_kernels(const std::vector<Ref<Buffer>>& inputs, const std::vector<Ref<Buffer>>& outputs,
                           const std::vector<KernelUse>& kernels);

/// Returns the statement with one region, the first, of each buffer among the reads and among the writes of a block:
/// several buffers of a kernel may have become one.
Stmt with_merged_regions(const Stmt& s);

}  // namespace sunmao
