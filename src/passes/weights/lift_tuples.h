// Tuples that stand between weights and what reads them.
#pragma once
#include "ir/expr.h"

namespace sunmao {

/// What is read out of tuples that are at hand is read directly; tuples that nothing reads then go, since they would
/// hold on to weights. The same pointer when there are none.
Ref<Function> with_tuples_apart(const Ref<Function>& function);

}  // namespace sunmao
