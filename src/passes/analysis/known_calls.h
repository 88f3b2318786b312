// Type inference for calls of module functions whose types were unknown when the calls were built.
#pragma once
#include "ir/module.h"

namespace sunmao {

/// Returns the function with calls without known result type typed by the signatures in `module`, and dependent types
/// inferred again; the same pointer when no type becomes known.
Ref<Function> with_known_calls(const Ref<Function>& function, const Module& module);

}  // namespace sunmao
