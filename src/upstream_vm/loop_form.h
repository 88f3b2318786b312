// The loop-level form of what graph-level functions compute on registers.
#pragma once
#include "ir/module.h"
#include "upstream_vm/builder.h"

namespace sunmao {

/// Returns the module with a loop-level function `__vmtir__…` in the place of each graph-level one: its parameters are
/// the state of the machine, and lists of registers, constants and names. It is what upstream compiles where a virtual
/// machine shall not follow instructions; here it is for reading. Constants are numbered as `builder` has them.
Module with_loop_forms(RegisterBuilder& builder, const Module& module);

}  // namespace sunmao
