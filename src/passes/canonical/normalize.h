// The pass `normalize` on one function.
#pragma once
#include "ir/module.h"

namespace sunmao {

/// Returns the function in normal form; `module` provides the signatures of the functions that it calls.
Ref<Function> normalize(const Ref<Function>& function, const Module& module);

}  // namespace sunmao
