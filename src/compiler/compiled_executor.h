// Runs functions of a module in this process, as machine code.
#pragma once
#include "compiler/options.h"
#include "eval/evaluator.h"
#include "io/bytes.h"

namespace sunmao {

/// `module` is VmReady for the functions that are called. Arguments are arrays and tuples of them, and so are results.
/// Compile, load in memory, call: as bytecode where the function is straight-line, else by a walk.
Value run_compiled(const Module& module, const std::string& function, const std::vector<Value>& args,
                   const CompileOptions& options);

/// Walks the graph level of a module as the evaluator does, and calls compiled kernels: branches, calls between
/// functions, callbacks and objects run so. An array goes as soon as nothing reads it any more.
class CompiledExecutor {
 public:
  /// `artifact` was built of `module` with walked functions (compiler/build.h), so that all kernels are in it. Most
  /// threads that a kernel uses: 0 for as many as the process allows.
  CompiledExecutor(Module module, io::Bytes artifact, uint32_t threads = 0);
  ~CompiledExecutor();
  CompiledExecutor(const CompiledExecutor&) = delete;
  CompiledExecutor& operator=(const CompiledExecutor&) = delete;

  /// Any number of threads may call at once.
  Value call(const std::string& function, ValueTuple args, const FindHostFunction& host_functions = {}) const;
  Value invoke(const Value& function, ValueTuple args, const FindHostFunction& host_functions = {}) const;

 private:
  class Loaded;
  const Module module_;
  const std::unique_ptr<Loaded> loaded_;
};

}  // namespace sunmao
