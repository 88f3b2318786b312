// Calls of loop-level functions on values: arrays in, arrays out, nothing of the caller's changed.
#pragma once
#include "eval/environment.h"
#include "eval/kernel_runner.h"
#include "eval/memory.h"
#include "loop/prim_func.h"

namespace sunmao {

/// A call that makes its results: inputs, outputs of the type `result`, then `scalars`. What an output shall hold
/// before, where it takes the place of an input, is `inplace`: for each output an input or -1; empty for none.
struct KernelRun {
  const PrimFunc& func;
  const ValueTuple& inputs;
  Type result;
  const ShapeValue& scalars;
  std::vector<int64_t> inplace = {};
};
Value run_kernel(const KernelRun& call, const Environment& environment, KernelRunner& runner);

/// A call whose results are among its arguments, which therefore have to be allocated in `memory`; E0506 when the
/// function writes into another one. What the function returns, if it does, comes back.
Value run_on_memory(const PrimFunc& func, const ValueTuple& args, const Memory& memory, KernelRunner& runner);

/// New memory for the results of a call of a type, which states its shapes and dtypes.
std::vector<ArrayBuilder> new_results(const Type& type, const Environment& environment);

}  // namespace sunmao
