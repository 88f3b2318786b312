// moved_bits: copies of elements as copies of bits.
#pragma once
#include "passes/loop/buffer_views.h"
#include "passes/loop/store_nest.h"

namespace sunmao {

/// Returns a nest that merely moves elements, in views of its buffers as unsigned integers, where registers hold its
/// dtype in another form than memory; other nests stay.
StoreNest moved_bits(const StoreNest& nest, BufferViews& views);

}  // namespace sunmao
