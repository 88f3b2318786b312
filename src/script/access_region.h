// What a block reads and writes, where its script leaves `T.reads` and `T.writes` out.
#pragma once
#include "loop/stmt.h"

namespace sunmao::script {

struct Accesses {
  std::vector<BufferRegion> reads, writes;
};

/// The regions of the buffers that exist outside the block; first access first. Where an index cannot be bounded over
/// the loops inside the block, the whole dimension. A block with an `init` does not count reading what it writes.
Accesses find_accesses(const Block::Parts& parts);

}  // namespace sunmao::script
