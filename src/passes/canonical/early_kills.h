// `R.vm.kill_object` drops a name. Where names of one value become one, only the last drop may stay.
#pragma once
#include "ir/expr.h"

namespace sunmao {

/// The function without the drops of variables that are read behind them; the same pointer when there are none.
Ref<Function> without_early_kills(const Ref<Function>& function);

}  // namespace sunmao
