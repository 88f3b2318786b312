// Calls of loop-level functions on values: arrays in, arrays out, nothing of the caller's changed.
#pragma once
#include "eval/environment.h"
#include "eval/kernel_runner.h"
#include "eval/memory.h"
#include "ir/module.h"
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

/// The loop-level function that a call's first argument names. E0507, or E0509 when it is not in the module.
const PrimFunc& called_kernel(const Call& call, const Module& module);
/// `call_tir` and its like.
Value run_kernel_call(const Call& call, const ValueTuple& args, const Module& module, const Environment& environment,
                      KernelRunner& runner);
/// A call of an op by the function that its record lowers it to.
Value run_lowered(const PrimFunc& func, const Call& call, const ValueTuple& args, const Environment& environment,
                  KernelRunner& runner);
/// Argument `i` of a call, which is a tuple; E0505 when it is none.
const ValueTuple& tuple_argument(const Call& call, const ValueTuple& args, size_t i);

/// A call whose results are among its arguments, which therefore have to be allocated in `memory`; E0506 when the
/// function writes into another one. What the function returns, if it does, comes back.
Value run_on_memory(const PrimFunc& func, const ValueTuple& args, const Memory& memory, KernelRunner& runner);

/// New memory for the results of a call of a type, which states its shapes and dtypes.
std::vector<ArrayBuilder> new_results(const Type& type, const Environment& environment);

}  // namespace sunmao
