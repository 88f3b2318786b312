// Runs functions of a module while compiling, as machine code: compile, load in memory, call.
#pragma once
#include "compiler/options.h"

namespace sunmao {

/// `module` is VmReady for the functions that are called. Arguments are arrays and tuples of them, and so are results.
Value run_compiled(const Module& module, const std::string& function, const std::vector<Value>& args,
                   const CompileOptions& options);

}  // namespace sunmao
