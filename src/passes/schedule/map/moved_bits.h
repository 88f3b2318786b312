// moved_bits: copies of elements as copies of bits.
#pragma once
#include "passes/loop/buffer_views.h"
#include "passes/loop/store_nest.h"

namespace sunmao {

/// Returns a nest that only copies elements on views of its buffers as unsigned integers, where a register holds the
/// dtype in another representation than memory (bool, narrow floats); other nests stay.
StoreNest moved_bits(const StoreNest& nest, BufferViews& views);

}  // namespace sunmao
