// Quotients by what is the same for all elements of a row.
#pragma once
#include "passes/loop/store_nest.h"
#include "support/function_ref.h"

namespace sunmao {

/// Returns what `write` makes of elementwise nests, with divisions by loop-invariant values replaced by multiplications
/// with reciprocals. A run-time test falls back to divisions where one of these values or its reciprocal is not normal.
Stmt with_reciprocals(const std::vector<StoreNest>& nests, FunctionRef<Stmt(const StoreNest&)> write);

}  // namespace sunmao
