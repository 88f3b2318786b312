// Loops of transposes: tiles whose loads and stores are whole vectors.
#pragma once
#include "passes/schedule/map/transpose.h"

namespace sunmao {

/// Returns the loops of a transpose, the outermost on threads; nullopt when a part of its value has no vector form. The
/// last tile of a side overlaps the one before where elements may be recomputed, even by another thread; elsewhere the
/// remainder is computed element by element.
std::optional<Stmt> transposed_loops(const Transpose& t);

}  // namespace sunmao
