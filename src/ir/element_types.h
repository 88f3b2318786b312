// What tensors that are computed may hold: single numbers, no vectors and no handles, which only loops have.
#pragma once
#include "ir/module.h"

namespace sunmao {

/// E0319 for a tensor of vectors or handles in `type`, in a part of a tuple too. `name` is what has the type.
void check_element_types(const Type& type, const std::string& name, const Span& span);

/// The same of the variables of all graph-level functions of the module.
void check_element_types(const Module& module);

}  // namespace sunmao
