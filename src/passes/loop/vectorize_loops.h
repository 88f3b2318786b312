// The loop pass `vectorize-loops`: replaces loops marked vectorized by vector operations. Contiguous indices become
// ramps, scalars are broadcast, and conditions become masks.
#pragma once
#include <optional>

#include "loop/prim_func.h"
#include "sym/walk.h"
#include "target/target.h"

namespace sunmao {

/// Vectorizes the loops marked vectorized. Those whose body cannot be vectorized, or whose extent is unknown, 1 or very
/// large, become serial.
Ref<PrimFunc> vectorize_loops(const Ref<PrimFunc>& func, const Target& target);

/// Returns `body` vectorized over `var` in [min, min + lanes); nullopt when it cannot be vectorized. `known` gives the
/// vectors that other symbols stand for.
std::optional<Stmt> vectorize(const Stmt& body, const Ref<SymVar>& var, const Scalar& min, int lanes,
                              Substitution known = {});

}  // namespace sunmao
