// Access regions: infers what a block reads and writes when its script omits `T.reads` and `T.writes`.
#pragma once
#include "loop/stmt.h"

namespace sunmao::script {

struct Accesses {
  std::vector<BufferRegion> reads, writes;
};

/// Returns the regions that loads, stores and inner blocks access in buffers defined outside the block, in order of
/// first access. A dimension whose index cannot be bounded over the loops inside the block is covered whole. A block
/// with an `init` does not count reads of the buffers that it writes.
Accesses find_accesses(const Block::Parts& parts);

/// Key of the block annotation that says which regions are still to be inferred (1: reads, 2: writes, 3: both).
inline constexpr const char* kOpenRegions = "tirx.script_parsing_detect_access";
/// Infers the regions of every block that carries `kOpenRegions`, innermost blocks first, and returns the new
/// statement.
Stmt complete_regions(const Stmt& s);

}  // namespace sunmao::script
