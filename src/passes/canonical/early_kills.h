// Removal of `R.vm.kill_object` calls that merging of variables has made premature.
#pragma once
#include "ir/expr.h"

namespace sunmao {

/// Returns the function without kills of variables that are still used later; the same pointer when there are none.
Ref<Function> without_early_kills(const Ref<Function>& function);

}  // namespace sunmao
