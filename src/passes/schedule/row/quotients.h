// Quotients by what is the same for all elements of a row.
#pragma once
#include "passes/loop/store_nest.h"
#include "support/target.h"

namespace sunmao {

/// Returns an elementwise nest of a task that multiplies by reciprocals of what is the same in all iterations, where
/// these are normal numbers, and divides elsewhere.
Stmt elementwise_of_row(const StoreNest& nest, const Target& target);

}  // namespace sunmao
