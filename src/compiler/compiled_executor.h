// Execution of functions in this process by compiled kernels.
#pragma once
#include "compiler/options.h"
#include "eval/evaluator.h"
#include "eval/kernel_runner.h"
#include "io/bytes.h"

namespace sunmao {

/// Compiles `function` of a VmReady `module`, loads it in memory and calls it; arguments and results are arrays and
/// tuples of arrays. A function that bytecode can express runs as bytecode, and its result is a flat tuple; any other
/// runs in CompiledExecutor.
Value run_compiled(const Module& module, const std::string& function, const std::vector<Value>& args,
                   const CompileOptions& options);

/// Runs the graph level of a module in the evaluator with compiled kernels; it supports branches, calls between
/// functions, callbacks and objects. Arrays are released after their last use.
class CompiledExecutor {
 public:
  /// `artifact` must be built from `module` by `build_artifact`, with the functions that the evaluator runs as
  /// `walked`, so that it contains all kernels. `threads` is the maximum number of threads per kernel; 0: as many as
  /// the process allows.
  CompiledExecutor(Module module, io::Bytes artifact, uint32_t threads = 0);
  ~CompiledExecutor();
  CompiledExecutor(const CompiledExecutor&) = delete;
  CompiledExecutor& operator=(const CompiledExecutor&) = delete;

  /// Call a function of the module or a function value; thread-safe.
  Value call(const std::string& function, ValueTuple args, const FindHostFunction& host_functions = {}) const;
  Value invoke(const Value& function, ValueTuple args, const FindHostFunction& host_functions = {}) const;

  const Module& module() const { return module_; }
  /// Lends the compiled kernels of the module's loop-level functions to `use`; thread-safe.
  Value with_kernels(const std::function<Value(KernelRunner&)>& use) const;

 private:
  class Loaded;
  const Module module_;
  const std::unique_ptr<Loaded> loaded_;
};

}  // namespace sunmao
