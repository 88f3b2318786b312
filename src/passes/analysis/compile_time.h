// Analysis: values that depend on weights and constants alone, and are thus known at compile time.
#pragma once
#include "ir/expr.h"

namespace sunmao {

/// Returns the weight parameters (those from index `num_input` on; none without this attribute), then the variables
/// that depend only on them, on constants and on symbols that they define, in order of definition.
std::vector<Ref<Var>> computable_at_compile_time(const Function& function);

}  // namespace sunmao
