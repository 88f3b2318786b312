// What fusion asks of a kernel's blocks.
#pragma once
#include "loop/prim_func.h"

namespace sunmao {

/// Returns the block around the body of a function, or null.
const Block* root_of(const PrimFunc& f);

/// Returns the single block of a function when it is enclosed only by loops and stores one element per iteration; else
/// null. The element is that of the iteration or, where layouts are changed, any that no other iteration stores.
const Block* elementwise_block(const PrimFunc& f, bool changes_layout = false);

/// True when the block reads `buffer` only at its own iterators, which are the indices of the element that it writes.
bool reads_own_element(const Block& block, const Ref<Buffer>& buffer);

/// True when all that the kernel does with `buffer` is to copy about every element once into a temporary.
bool copies(const PrimFunc& kernel, const Buffer& buffer);

}  // namespace sunmao
