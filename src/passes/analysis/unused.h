// Bindings that nothing needs.
#pragma once
#include "ir/walk.h"

namespace sunmao {

/// A function or a sequence without the bindings whose variables nothing reads and whose values have no effect; what
/// only those needed goes with them. A cast that defines symbols stays. `module` says which functions are pure;
/// without it a call of one counts as an effect. The same pointer when nothing goes.
Expr remove_all_unused(const Expr& e, const Module* module = nullptr);

}  // namespace sunmao
