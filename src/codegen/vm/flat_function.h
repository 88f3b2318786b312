// FlatFunction: a graph-level function as a list of steps on numbered tensors: tuples are taken apart, views and
// renamings resolved. What the bytecode is written from.
#pragma once
#include "codegen/vm/program.h"
#include "passes/analysis/kernel_call.h"

namespace sunmao {

enum class RootKind : uint8_t { Param, Constant, Intermediate };

/// Memory that holds a tensor: a parameter, a constant, or what a kernel writes.
struct Root {
  RootKind kind;
  int index = 0;  // of the parameter or constant
  const TensorType* type = nullptr;
  Type owner = {};  // keeps `type`
  int first_step = -1, last_step = -1;
  int result = -1;  // the result that takes this memory, when one does
};

/// A tensor: a root, seen as `type`.
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
};

/// A size that must be `expected`, which entering the function checks.
struct FlatCheck {
  Scalar value, expected;
  std::string where;  // "cast of `x` in script.py, line 4"
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
  /// In the order of the body. What a symbol stands for that a cast defines says `symbols`, as is known before.
  std::vector<FlatCheck> checks;
  std::vector<std::pair<Ref<SymVar>, Scalar>> symbols;
  std::vector<FlatTensor> results;
  std::vector<std::string> result_names;
};

FlatFunction flatten(const std::string& name, const Function& f, const Module& module);

}  // namespace sunmao
