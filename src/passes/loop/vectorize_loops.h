// Turns loops marked vectorized into vector arithmetic: indices become ramps, values broadcasts, branches masks.
#pragma once
#include <optional>

#include "loop/prim_func.h"
#include "support/target.h"

namespace sunmao {

/// A loop whose body has no vector form (or whose number of steps is unknown) becomes serial.
Ref<PrimFunc> vectorize_loops(const Ref<PrimFunc>& func, const Target& target);

/// `body` with `var` standing for `lanes` neighbours from `min` on; nullopt when it has no vector form.
std::optional<Stmt> vectorize(const Stmt& body, const Ref<SymVar>& var, const Scalar& min, int lanes);

}  // namespace sunmao
