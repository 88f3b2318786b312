// Runs compiled code: a module is compiled by the full pipeline, and its `main` is run by the runtime's C API.
#pragma once
#include "compiler/compile.h"
#include "eval/value.h"

namespace sunmao {

/// Compiles a module for this machine.
Compiled compile_for_run(const Module& module, int opt_level);
/// Returns the result of `main`, with the arrays of a tuple flattened. Fails with the runtime's error code.
Value run_compiled(const Compiled& compiled, const std::vector<Array>& inputs, uint32_t threads = 1);

}  // namespace sunmao
