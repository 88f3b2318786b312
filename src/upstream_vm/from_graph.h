// Graph-level functions as instructions on registers.
#pragma once
#include "ir/module.h"
#include "upstream_vm/builder.h"

namespace sunmao {

/// Adds each graph-level function of the module to the builder, under its global symbol. They must be lowered: shapes
/// are constant, memory is explicit, and what is called is a function of the module, a builtin or a function of the
/// host; E0549 for anything else.
void add_functions(RegisterBuilder& builder, const Module& module);

}  // namespace sunmao
