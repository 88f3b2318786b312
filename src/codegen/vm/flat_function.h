// FlatFunction: a graph-level function as a list of kernel calls on numbered tensors, with tuples, views and renames
// resolved. Bytecode is generated from it.
#pragma once
#include "codegen/vm/program.h"
#include "passes/analysis/kernel_call.h"

namespace sunmao {

enum class RootKind : uint8_t { Param, Constant, Intermediate };

/// Memory that holds a tensor: a parameter, a constant, or the output of a kernel.
struct Root {
  RootKind kind;
  int index = 0;  // index of the parameter or constant
  const TensorType* type = nullptr;
  Type owner = {};  // keeps `type` alive
  int first_step = -1, last_step = -1;
  int result = -1;  // index of the result stored in this memory; -1: none
};

/// A view of a root, with type `type`.
struct FlatTensor {
  int root;
  Type type;
  const TensorType& tensor() const { return *find<TensorType>(type); }
};

struct FlatStep {
  KernelCall call;
  std::vector<FlatTensor> inputs;
  std::vector<FlatTensor> outputs;
  std::string kernel;
  Span span = {};  // of the call
};

/// A size that must equal `expected`, checked on entry to the function.
struct FlatCheck {
  Scalar value, expected;
  std::string where;  // such as "`x`, script.py:4"
};

struct FlatParam {
  std::string name;
  Type type;
};

struct FlatFunction {
  std::string name;
  std::vector<FlatParam> params;
  std::vector<Array> constants;
  std::vector<Root> roots;
  std::vector<FlatStep> steps;
  /// Relations between sizes that match_casts state, in the order of the body. A symbol that a match_cast defines is in
  /// `symbols` instead.
  std::vector<FlatCheck> checks;
  std::vector<std::pair<Ref<SymVar>, Scalar>> symbols;
  std::vector<FlatTensor> results;
  std::vector<std::string> result_names;
};

FlatFunction flatten(const std::string& name, const Function& f, const Module& module);

}  // namespace sunmao
