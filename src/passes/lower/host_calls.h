// Calls of functions of the host that the pass `box-objects` makes.
#pragma once
#include <string>
#include <vector>

#include "ir/expr.h"

namespace sunmao {

enum class CallEffect : uint8_t { None, Some };

/// Returns the call of a function of the host by its name.
Expr host_call(const std::string& name, std::vector<Expr> args, const Type& type, CallEffect effect = CallEffect::None);

/// Returns a call that refuses the object `value` when it is no value of the type; null where all are. `what` begins
/// its message.
Expr find_check(const Expr& value, const Type& type, const std::string& what);

}  // namespace sunmao
