// merge_loops: neighbouring loops of a nest as one, where all buffers have their dimensions side by side.
#pragma once
#include "passes/loop/buffer_views.h"
#include "passes/loop/store_nest.h"

namespace sunmao {

/// Returns the nest with as few loops as possible, in views of its buffers; the nest itself when none can be merged.
/// Two neighbours become one where the stored element and each load have either both as neighbouring indices or none.
StoreNest merge_loops(const StoreNest& nest, BufferViews& views);

}  // namespace sunmao
