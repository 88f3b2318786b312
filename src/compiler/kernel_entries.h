// Entry points for modules of loop-level functions alone.
#pragma once
#include "ir/module.h"

namespace sunmao {

/// Returns the module with a graph-level function for each loop-level one that calls it on its buffers and numbers, so
/// that all of them are compiled. Other modules are returned as they are.
Module with_kernel_entries(const Module& module);

/// Returns such a module with a graph-level function for each loop-level one that stores to its last buffers alone: it
/// takes the others and returns these, so that it runs as bytecode. Other modules are returned as they are.
Module with_kernel_calls(const Module& module);

}  // namespace sunmao
