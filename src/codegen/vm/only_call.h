// The call that a branch consists of.
#pragma once
#include "ir/module.h"

namespace sunmao {

/// Returns the call of a function of the module that a branch consists of; null for other branches.
const Call* only_call(const SeqExpr& way, const Module& module);

}  // namespace sunmao
