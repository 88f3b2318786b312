// Program: graph-level functions as bytecode (abi/bytecode.h), with the kernels and weights it refers to by number.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "codegen/vm/call_origin.h"
#include "ir/module.h"
#include "loop/prim_func.h"
#include "passes/schedule/function_work.h"
#include "support/shape_bytes.h"

namespace sunmao {

struct ProgramKernel {
  std::string name;
  Ref<PrimFunc> func;    // lowered, for a target
  Ref<PrimFunc> source;  // as the module has it, not scheduled
};

struct ProgramWeight {
  std::string name;
  DType dtype;
  std::vector<int64_t> shape;
  std::optional<Array> data;  // nullopt: prepared, provided by the loader, or computed when the program is loaded
  bool is_prepared = false;   // the data is made while the artifact is written (codegen/artifact/weight_source.h)
  std::string own_name = {};  // name in the model's file; empty if equal to `name`

  size_t bytes() const { return static_cast<size_t>(*shape_bytes(shape, dtype)); }
};

/// A prepared weight whose elements take more bits than those of the raw weight that it is made of for the most part.
struct WidenedWeight {
  std::string name;     // of the raw weight, in the model's file
  DType from, to;       // the element types before and after
  uint64_t bytes_more;  // than all raw weights take that it is made of
};

/// The bytes of the model's weights and of those of the artifact, and where these are wider.
struct WeightGrowth {
  uint64_t model_bytes = 0, bytes = 0;
  std::vector<WidenedWeight> widened = {};  // the largest increase first
};

/// A function that expects prepared weights from its caller.
struct CallerPrepares {
  size_t inputs;                       // number of run-time inputs, before the weights
  std::vector<std::string> functions;  // the weight transforms to run first, in order
};

struct Program {
  std::vector<uint8_t> bytes;
  std::vector<ProgramKernel> kernels;  // in the order of their numbers
  std::vector<ProgramWeight> weights;  // in the order of their numbers
  std::map<std::string, CallerPrepares> caller_prepares = {};
  /// Identifiers in scripts of inputs that have other names in the model's file: function -> name -> identifier.
  std::map<std::string, std::map<std::string, std::string>> identifiers = {};
  /// Where the kernel calls of a function come from, in the order of its code.
  std::map<std::string, std::vector<CallOrigin>> origins = {};
  /// What functions that callers see do in a run, those that make weights aside.
  std::map<std::string, FunctionWork> work = {};
  std::optional<WeightGrowth> weight_growth = {};  // nullopt: the artifact has no weights of a model
  /// The functions of the host that are kernels of ops, by name.
  std::set<std::string> ops = {};
  /// Those of them that the code images have, in the order of their tables.
  std::vector<std::string> own_ops = {};
  /// How arguments and results are nested where the model comes from: function -> JSON text.
  std::map<std::string, std::string> nesting = {};
};

struct ProgramOptions {
  std::vector<std::string> entries;  // entry points; empty: all graph-level functions with a global symbol
  /// Parameters bound to weights, which callers do not pass: function -> parameter -> weight.
  std::map<std::string, std::map<std::string, std::string>> bound = {};
  /// Entry functions run when the program is loaded, at the end of the list of entries: function -> weights that its
  /// results become.
  std::map<std::string, std::vector<std::string>> made = {};
  /// The weights referred to by `bound` and `made`.
  std::map<std::string, ProgramWeight> weights = {};
  std::optional<WeightGrowth> weight_growth = {};
  /// First values of states that sessions keep (passes/analysis/state_params.h), by name; others are zeros at first.
  Weights states = {};
  bool kernels_alone = false;  // all kernels are included, and no function
};

/// Returns `options.entries` or, if that is empty, the graph-level functions with a global symbol in module order.
/// Fails (E1022) when there are none.
std::vector<std::string> entries_of(const Module& module, const ProgramOptions& options);

/// Requires a VmReady `module`; `lowered` maps the names of its loop-level functions to kernels. Fails with E1020 on
/// constructs that the virtual machine does not support, E1021 for a size that no input determines, or E1022 for an
/// entry that is no graph-level function.
Program emit_program(const Module& module, const std::map<std::string, Ref<PrimFunc>>& lowered,
                     const ProgramOptions& options);

}  // namespace sunmao
