// Ops that read the fields of a tensor's descriptor.
#pragma once
#include "ir/expr.h"

namespace sunmao {

/// Returns the field that a call of an `inspect` op reads, where the tensor's type says it; null for other calls.
Expr inspected_field(const Call& call);

}  // namespace sunmao
