// Which float's rounding the results of a function show: a float64 may be one that was computed in float16.
#pragma once
#include <vector>

#include "ir/expr.h"

namespace sunmao {

/// Returns for each field of the tuple that the function returns, or for its result alone, the coarsest float that it
/// is computed from or is itself; void for none.
std::vector<DType> precisions_of(const Function& f);

}  // namespace sunmao
