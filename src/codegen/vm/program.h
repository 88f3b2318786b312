// Program: graph-level functions as bytecode (abi/bytecode.h), with the kernels and weights that they name by number.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/module.h"
#include "loop/prim_func.h"
#include "support/diagnostic.h"

namespace sunmao {

struct ProgramKernel {
  std::string name;
  Ref<PrimFunc> func;
};

struct ProgramWeight {
  std::string name;
  DType dtype;
  std::vector<int64_t> shape;
  std::optional<Array> data;  // none: whoever loads the program gives it, or a function of it makes it
  std::string own_name = {};  // in the model's file; empty where it is `name`
};

/// A function whose caller prepares its weights.
struct CallerPrepares {
  size_t inputs;                       // behind these it takes prepared weights
  std::vector<std::string> functions;  // to be run before, in this order
};

struct Program {
  std::vector<uint8_t> bytes;
  std::vector<ProgramKernel> kernels;  // in the order of their numbers
  std::vector<ProgramWeight> weights;  // likewise
  std::map<std::string, CallerPrepares> caller_prepares = {};
  /// Of inputs whose names are those in the model's file: function -> name -> its identifier in scripts.
  std::map<std::string, std::map<std::string, std::string>> identifiers = {};
};

struct ProgramOptions {
  std::vector<std::string> entries;  // functions to be callable; empty: every graph-level function with a global symbol
  /// Parameters that are bound to weights, which the caller does not pass: function -> parameter -> weight.
  std::map<std::string, std::map<std::string, std::string>> bound = {};
  /// The last ones among the entries that make weights when the program is loaded: which weight each result becomes.
  std::map<std::string, std::vector<std::string>> made = {};
  /// Every weight that those two name.
  std::map<std::string, ProgramWeight> weights = {};
  /// Functions that a walk of the graph level runs: no bytecode is made of them, and all kernels are in the program.
  std::set<std::string> walked = {};
};

/// The functions that `options` names as entries, in the order of the module. E1022 when there are none.
std::vector<std::string> entries_of(const Module& module, const ProgramOptions& options);

/// Whether a graph-level function becomes bytecode: it is straight-line, on tensors of known rank and dtype. The
/// finding says what stands against it.
std::optional<Diagnostic> find_obstacle(const Module& module, const std::string& function);

/// `module` is VmReady. `lowered` has the kernels of its loop-level functions by name.
/// Fails (E1020) on what the virtual machine does not run.
Program emit_program(const Module& module, const std::map<std::string, Ref<PrimFunc>>& lowered,
                     const ProgramOptions& options);

}  // namespace sunmao
