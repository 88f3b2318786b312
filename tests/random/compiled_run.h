// What compiled code gives: a module goes through the whole pipeline, and its `main` through the runtime's C interface,
// or through the executor where the graph level is walked.
#pragma once
#include "compiler/compile.h"
#include "eval/value.h"

namespace sunmao {

/// For the host; what bytecode cannot express is to be walked.
Compiled compile_for_run(const Module& module, int opt_level);
/// What `main` gives, the arrays of a tuple one after another. Fails with the runtime's code.
Value run_compiled(const Compiled& compiled, const std::vector<Array>& inputs);

}  // namespace sunmao
