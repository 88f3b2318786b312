// Tuples of weights and run-time inputs, which stand between weights and what reads them.
#pragma once
#include "ir/module.h"

namespace sunmao {

/// Where a tuple holds a weight beside something else: what is read out of tuples that are at hand is read directly,
/// and tuples that nothing reads then go, since they would hold on to weights. Otherwise the function itself.
Ref<Function> with_tuples_apart(const Ref<Function>& function, size_t inputs, const Module& module);

}  // namespace sunmao
