// What fusion asks of a kernel's blocks.
#pragma once
#include <unordered_set>

#include "loop/prim_func.h"

namespace sunmao {

/// Returns the block around the body of a function, or null.
const Block* root_of(const PrimFunc& f);

/// Returns the single block of a function when it is enclosed only by loops and stores one element per iteration; else
/// null. The element is that of the iteration or, where layouts are changed, any that no other iteration stores.
const Block* elementwise_block(const PrimFunc& f, bool changes_layout = false);

using BufferSet = std::unordered_set<const Buffer*>;

/// Returns the buffers that the block reads only at its own iterators, which are the indices of the element that it
/// writes.
BufferSet read_at_own_element(const Block& block);

/// Returns the buffers with which the kernel does nothing but to copy about every element once into a temporary.
BufferSet copied_buffers(const PrimFunc& kernel);

}  // namespace sunmao
