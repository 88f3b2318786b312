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

/// What a block under construction notes of the regions that nobody stated: 1 for reads, 2 for writes, 3 for both.
inline constexpr const char* kOpenRegions = "tirx.script_parsing_detect_access";
/// The same statement with the regions found that blocks noted as open, inner ones first.
Stmt complete_regions(const Stmt& s);

}  // namespace sunmao::script
