// Outputs that live on their own.
#pragma once
#include "abi/bytecode.h"
#include "io/status.h"
#include "runtime/layout.h"
#include "sunmao/dlpack.h"

namespace sunmao::runtime {

/// A tensor of this shape in one block of CPU memory, aligned to 64 bytes, contents undefined; its deleter frees all of
/// it. E0910 when there is no memory.
io::Result<DLManagedTensor*> make_managed_tensor(abi::ElementType type, const ResultLayout& result);

}  // namespace sunmao::runtime
