// FlatFunction: a graph-level function as a list of steps on numbered tensors: tuples are taken apart, views and
// renamings resolved. What the bytecode is written from.
#pragma once
#include "codegen/vm/program.h"
#include "passes/graph/kernel_call.h"

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
  std::vector<FlatTensor> results;
  std::vector<std::string> result_names;
};

FlatFunction flatten(const std::string& name, const Function& f, const Module& module);

}  // namespace sunmao
