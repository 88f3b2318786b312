// RegisterMachine: runs a RegisterProgram on values.
#pragma once
#include "eval/host_function.h"
#include "eval/kernel_runner.h"
#include "ir/module.h"
#include "upstream_vm/program.h"

namespace sunmao {

/// Called before and after each call of a program: the function, its name, whether it is before, the result, and the
/// arguments. True before a call: the call is left out, and its result is nothing.
using InstrumentCall =
    std::function<bool(const std::string& name, bool is_before, const Value& result, const ValueTuple& args)>;

struct RegisterMachineOptions {
  KernelRunner* kernels = nullptr;  // null: loop-level functions are interpreted
  FindHostFunction host_functions = {};
  InstrumentCall instrument = {};
};

/// Thread-safe: each call has registers and memory of its own. Names are looked up in the program, then among the
/// builtins, the loop-level functions of the module, and the host's functions; E0509 for one that is nowhere.
class RegisterMachine {
 public:
  RegisterMachine(std::shared_ptr<const RegisterProgram> program, Module module)
      : program_(std::move(program)), module_(std::move(module)) {}

  const RegisterProgram& program() const { return *program_; }
  const Module& module() const { return module_; }
  Value call(const std::string& function, ValueTuple args, const RegisterMachineOptions& options) const;
  /// Calls a closure that the program has made, or a host function.
  Value invoke(const Value& function, ValueTuple args, const RegisterMachineOptions& options) const;

 private:
  const std::shared_ptr<const RegisterProgram> program_;
  const Module module_;
};

}  // namespace sunmao
