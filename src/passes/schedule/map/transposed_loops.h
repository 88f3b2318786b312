// Loops of transposes: tiles whose loads and stores are whole vectors.
#pragma once
#include "passes/schedule/map/transpose.h"

namespace sunmao {

/// Returns the loops of a transpose, the outermost on threads; nullopt when a part of its value has no vector form. A
/// tile at the end of a side begins within the one before it where elements may be computed again, even by another
/// thread; elsewhere the elements that fill no tile are computed one by one.
std::optional<Stmt> transposed_loops(const Transpose& t);

}  // namespace sunmao
