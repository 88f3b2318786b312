// Quotients by what is the same for all elements of a row.
#pragma once
#include "passes/loop/store_nest.h"
#include "support/function_ref.h"

namespace sunmao {

/// Returns what `write` makes of elementwise nests that multiply by reciprocals of what is the same in all iterations,
/// where all of these are normal numbers, and else divide.
Stmt with_reciprocals(const std::vector<StoreNest>& nests, FunctionRef<Stmt(const StoreNest&)> write);

}  // namespace sunmao
