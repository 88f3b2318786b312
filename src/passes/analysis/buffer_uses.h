// What loop-level functions do to the buffers that they are given.
#pragma once
#include <vector>

#include "loop/prim_func.h"

namespace sunmao {

struct BufferUse {
  bool is_read = false;
  bool is_written = false;
  bool is_filled = false;     // shown to be written in whole
  bool reads_before = false;  // may read what was there before
};

/// Returns the uses of the function's buffers, in order. A buffer whose address is taken counts as read and written.
std::vector<BufferUse> buffer_uses(const PrimFunc& func);

}  // namespace sunmao
