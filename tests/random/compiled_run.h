// Runs compiled code: a module is compiled by the full pipeline, and its `main` is run by the runtime's C API.
#pragma once
#include "compiler/compile.h"
#include "eval/value.h"

namespace sunmao {

/// Compiles a module for a target, which is this machine by default.
Compiled compile_for_run(const Module& module, int opt_level, const std::string& target = "host");
/// Returns the arrays of a value: the fields of nested tuples, and shapes and integers converted to arrays.
std::vector<Array> arrays_of(const Value& value);
/// Returns the result of `main`, with the arrays of a tuple flattened. Fails with the runtime's error code.
std::vector<Array> run_compiled(const Compiled& compiled, const std::vector<Array>& inputs, uint32_t threads = 1);

}  // namespace sunmao
