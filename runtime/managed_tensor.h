// Allocation of outputs that outlive their session, as DLManagedTensor.
#pragma once
#include "abi/bytecode.h"
#include "io/status.h"
#include "runtime/layout.h"
#include "sunmao/dlpack.h"

namespace sunmao::runtime {

/// Returns an uninitialised tensor of this shape in one block of CPU memory, aligned to 64 bytes; its deleter frees the
/// block. E0910 when out of memory.
io::Result<DLManagedTensor*> make_managed_tensor(abi::ElementType type, const ResultLayout& result);

}  // namespace sunmao::runtime
