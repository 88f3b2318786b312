// Program: graph-level functions as bytecode (abi/bytecode.h), with the kernels and weights that they name by number.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ir/module.h"
#include "loop/prim_func.h"

namespace sunmao {

struct ProgramKernel {
  std::string name;
  Ref<PrimFunc> func;
};

struct ProgramWeight {
  std::string name;
  Array data;
};

struct Program {
  std::vector<uint8_t> bytes;
  std::vector<ProgramKernel> kernels;  // in the order of their numbers
  std::vector<ProgramWeight> weights;  // likewise
};

struct ProgramOptions {
  std::vector<std::string> entries;  // functions to be callable; empty: every graph-level function with a global symbol
  /// Parameters of `main`-like entries that are bound to data, by name. The caller does not pass them.
  Weights bound;
};

/// `module` is VmReady. `lowered` has the kernels of its loop-level functions by name.
/// Fails (E1020) on what the virtual machine does not run.
Program emit_program(const Module& module, const std::map<std::string, Ref<PrimFunc>>& lowered,
                     const ProgramOptions& options);

}  // namespace sunmao
