// Temporaries of kernels that no stack holds: of a size that only a run knows, or large.
#pragma once
#include "loop/prim_func.h"
#include "support/target.h"

namespace sunmao {

/// Whether the stack of a kernel may hold the buffer.
bool fits_stack(const Buffer& buffer);

/// Whether scheduling for the target leaves no temporary that no stack holds.
bool keeps_temporaries_small(const Ref<PrimFunc>& f, const Target& target);

/// Temporaries of inner blocks that the stack does not hold all at once become temporaries of the root block, with a
/// part for each value of the spatial iterators around, so that no two runs of the block share one. Those whose memory
/// or a view of it is named stay where they are.
Ref<PrimFunc> with_large_temporaries_at_root(const Ref<PrimFunc>& f);

}  // namespace sunmao
