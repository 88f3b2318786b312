// lift-transform-params: removal of tuples that mix weights and run-time inputs.
#pragma once
#include "ir/module.h"

namespace sunmao {

/// If a tuple holds a weight and another value, replaces reads of known tuples by their fields, and removes tuples that
/// are then unused, since they would keep weights alive. Otherwise returns the function itself.
Ref<Function> with_tuples_apart(const Ref<Function>& function, size_t inputs, const Module& module);

/// True when the function binds a tuple that nothing reads.
bool has_unread_tuples(const Ref<Function>& f);

}  // namespace sunmao
