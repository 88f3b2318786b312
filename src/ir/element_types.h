// Checks of tensor element types: graph-level tensors have scalar elements, no vectors or handles.
#pragma once
#include "ir/module.h"

namespace sunmao {

/// Fails (E0319) for a tensor of vectors or handles in `type` or its tuple fields; `name` is the variable of that type.
void check_element_types(const Type& type, const std::string& name, const Span& span);

/// Checks the variables of all graph-level functions of the module.
void check_element_types(const Module& module);

}  // namespace sunmao
