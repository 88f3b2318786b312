// FlatFunction: a graph-level function as a list of calls of kernels and functions on numbered tensors, with tuples,
// views and renames resolved. Bytecode is generated from it.
#pragma once
#include "codegen/vm/program.h"
#include "passes/analysis/kernel_call.h"

namespace sunmao {

enum class RootKind : uint8_t { Param, Constant, Intermediate, Delivered, Sizes };

/// Memory that holds a tensor: a parameter, a constant, the output of a kernel, what a called function delivers, or
/// sizes.
struct Root {
  RootKind kind;
  int index = 0;  // index of the parameter or constant
  const TensorType* type = nullptr;
  Type owner = {};         // keeps `type` alive
  int result = -1;         // index of the result stored in this memory; -1: none
  bool is_passed = false;  // it escapes to other functions, and may outlive this one
  std::vector<Scalar> sizes = {};
  bool is_elsewhere = false;     // it was replaced by a part of another root
  int source = -1;               // the root whose contents it starts with; -1: none
  Scalar source_begin = {};      // where they begin in it, in bytes; null: 0
  bool may_take_source = false;  // it may reuse the source's memory, unless one of `others` aliases that
  std::vector<int> others = {};
};

/// A view of a root, with type `type`.
struct FlatTensor {
  int root;
  Type type;
  Scalar begin = {};  // in bytes; null: 0
  const TensorType& tensor() const { return *find<TensorType>(type); }
};

/// An argument of a called function: a tensor, or sizes alone.
struct FlatArgument {
  std::optional<FlatTensor> tensor;
  std::vector<Scalar> sizes;
  int unknown = 0;           // the number of sizes where data decides them: `sizes` is empty
  bool holds_sizes = false;  // `tensor` holds the sizes, which are the argument
};

struct FlatCallee {
  std::string function;
  std::vector<FlatArgument> args;
};

/// A root whose block moves to a called function, which may update it in place, unless one of `others` aliases it.
struct FlatGift {
  int root;
  std::vector<int> others;
};

/// A call of a kernel, of a function, or of one of two functions; without any of them, a copy of an input. Outputs
/// without dimensions are of the size that data decides; the next step gets them, and is the last one.
struct FlatStep {
  std::optional<KernelCall> kernel;
  std::vector<FlatCallee> callees = {};
  std::optional<FlatTensor> condition = {};                             // of a choice of two callees
  bool is_host = false;                                                 // the callee is a function of the host
  std::vector<std::pair<FlatTensor, std::vector<Scalar>>> stated = {};  // outputs whose elements the call's type says
  std::vector<FlatGift> gifts = {};                                     // to the callees
  std::vector<FlatTensor> inputs = {};                                  // of a kernel or a copy
  std::vector<FlatTensor> outputs = {};
  Span span = {};  // of the call

  bool is_call() const { return !callees.empty(); }
  bool is_copy() const { return !kernel && !is_call(); }
};

/// A size that must equal `expected`, checked on entry to the function.
struct FlatCheck {
  Scalar value, expected;
  std::string where;  // such as "`x`, script.py:4"
};

/// A tensor, or sizes (of a type with a shape, or a number).
struct FlatParam {
  std::string name;
  Type type;
  std::string state = {};  // the state that sessions keep for it; empty: none

  bool is_state() const { return !state.empty(); }
};

/// A function of the host that a function calls by its form: types of what it takes and delivers.
struct FlatHost {
  std::vector<Type> params;
  std::vector<Type> results;
  bool is_op = false;  // it fills results of known shapes (runtime/op_form.h)
};

struct FlatFunction {
  std::string name;
  std::vector<FlatParam> params;
  std::vector<Array> constants;
  std::vector<Root> roots;
  std::vector<FlatStep> steps;
  std::map<std::string, FlatHost> hosts = {};  // by form, which stands in place of the function in steps
  bool delivers = false;                       // its results, wherever they lie
  bool ends_with_call = false;  // what its last step delivers are its results, whose sizes may be unknown before
  /// Relations between sizes that match_casts state, in the order of the body. A symbol that a match_cast defines is in
  /// `symbols` instead.
  std::vector<FlatCheck> checks;
  std::vector<std::pair<Ref<SymVar>, Scalar>> symbols;
  std::vector<FlatTensor> results;
  std::vector<std::string> result_names;
};

/// `is_inner`: other functions call it.
FlatFunction flatten(const std::string& name, const Function& f, const Module& module, bool is_inner);

}  // namespace sunmao
