// Calls of functions of the module whose results were not known when the calls were made.
#pragma once
#include "ir/module.h"

namespace sunmao {

/// The function with such calls typed by the signatures that `module` has, and what follows from them; the function
/// itself when nothing becomes known.
Ref<Function> with_known_calls(const Ref<Function>& function, const Module& module);

}  // namespace sunmao
