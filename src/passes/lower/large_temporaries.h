// Temporaries of kernels that do not fit the stack, because their size is large or known only at run time.
#pragma once
#include "loop/prim_func.h"
#include "support/target.h"

namespace sunmao {

/// True when the buffer's size is constant and small enough for the stack.
bool fits_stack(const Buffer& buffer);

/// True when the kernel, scheduled for `target`, has only temporaries that fit the stack.
bool keeps_temporaries_small(const Ref<PrimFunc>& f, const Target& target);

/// Unless the temporaries of inner blocks fit the stack together, moves each one that is too large (`fits_stack`) to
/// the root block, with a leading dimension per enclosing spatial iterator, so that executions of the block do not
/// share memory. Temporaries whose data pointer or view is used are not moved.
Ref<PrimFunc> with_large_temporaries_at_root(const Ref<PrimFunc>& f);

}  // namespace sunmao
