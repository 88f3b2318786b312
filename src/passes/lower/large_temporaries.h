// Temporaries that do not stay in their kernels: large ones, and those whose size is known only at run time.
#pragma once
#include "loop/prim_func.h"

namespace sunmao {

/// True when the buffer's size is constant and small.
bool stays_in_kernel(const Buffer& buffer);

/// Moves each temporary of an inner block that is too large (see `stays_in_kernel`) to the root block, unless all
/// temporaries of inner blocks together are small enough. A moved temporary gets a leading dimension for each enclosing
/// spatial iterator, so that different executions of the block do not share memory. Temporaries whose data pointer or
/// view is used stay.
Ref<PrimFunc> with_large_temporaries_at_root(const Ref<PrimFunc>& f);

}  // namespace sunmao
