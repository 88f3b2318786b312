// Allocation of outputs that outlive their session, as DLManagedTensor.
#pragma once
#include <memory>

#include "abi/bytecode.h"
#include "io/status.h"
#include "runtime/layout.h"
#include "runtime/output_blocks.h"
#include "sunmao/dlpack.h"

namespace sunmao::runtime {

/// Returns the size of the block that a tensor of this shape takes.
uint64_t managed_bytes(const ResultLayout& result);

/// Returns an uninitialised tensor of this shape in one block of CPU memory, aligned to 64 bytes; its deleter gives the
/// block back to `blocks` if these are still there, and frees it otherwise. E0910 when out of memory.
io::Result<DLManagedTensor*> make_managed_tensor(abi::ElementType type, const ResultLayout& result,
                                                 const std::shared_ptr<OutputBlocks>& blocks);

}  // namespace sunmao::runtime
