// Writes the loops of a contraction.
#pragma once
#include "passes/schedule/contraction/brick.h"

namespace sunmao {

/// Returns the loops that compute the contraction in tiles.
Stmt write_contraction(const Contraction& c, const Tile& tile);

/// The same for tiles that are written for any sizes.
Stmt write_any_sizes(const Contraction& c, const Tile& tile);

}  // namespace sunmao
