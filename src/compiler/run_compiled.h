// Running of a function in this process as compiled code.
#pragma once
#include "compiler/options.h"
#include "eval/value.h"
#include "ir/module.h"

namespace sunmao {

/// Compiles `function` of a VmReady `module`, loads it in memory and calls it. Arguments and results are arrays and
/// tuples of arrays; the result is a flat tuple. Fails with E1020 when bytecode cannot express the function.
Value run_compiled(const Module& module, const std::string& function, const std::vector<Value>& args,
                   const CompileOptions& options);

}  // namespace sunmao
