// Temporaries of kernels that no stack holds: of a size that only a run knows, or too large.
#pragma once
#include "loop/prim_func.h"

namespace sunmao {

/// Whether the stack of a kernel may hold the buffer.
bool fits_stack(const Buffer& buffer);

/// Whether the statement allocates what no stack holds.
bool has_large_temporaries(const Stmt& s);

/// Large temporaries of inner blocks become temporaries of the root block, with a part for each value of the spatial
/// iterators around, so that no two runs of the block share one. Those that something else than an element or a region
/// names stay where they are.
Ref<PrimFunc> with_large_temporaries_at_root(const Ref<PrimFunc>& f);

}  // namespace sunmao
