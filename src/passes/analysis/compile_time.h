// Analysis: values that depend on weights alone, and are thus known at compile time.
#pragma once
#include "ir/expr.h"

namespace sunmao {

/// Returns the weight parameters (those from index `num_input` on), then the variables that depend only on them and on
/// symbols that they define, in order of definition. Empty when the function has no `num_input`.
std::vector<Ref<Var>> computable_at_compile_time(const Function& function);

}  // namespace sunmao
