// What depends on weights alone.
#pragma once
#include "ir/expr.h"

namespace sunmao {

/// Variables whose values follow from the parameters behind `num_input`, and from symbols that those define, in order
/// of definition; the parameters themselves first. Without the attribute no parameter is known.
std::vector<Ref<Var>> computable_at_compile_time(const Function& function);

}  // namespace sunmao
