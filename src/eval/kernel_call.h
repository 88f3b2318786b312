// Calls of loop-level functions on values. Arrays of the caller are not modified, except those allocated in Memory.
#pragma once
#include "eval/environment.h"
#include "eval/kernel_runner.h"
#include "eval/memory.h"
#include "ir/module.h"
#include "loop/prim_func.h"

namespace sunmao {

/// A call that allocates its results. The arguments are `inputs`, new outputs as `result` describes, then `scalars`.
/// `inplace` has for each output the index of the input in whose place it is passed, with a copy of that input as its
/// contents, or -1 for an argument of its own; empty if no output is in place.
struct KernelRun {
  const PrimFunc& func;
  const ValueTuple& inputs;
  Type result;
  const ShapeValue& scalars;
  std::vector<int64_t> inplace = {};
};
Value run_kernel(const KernelRun& call, const Environment& environment, KernelRunner& runner);

/// Returns the loop-level function that is the call's first argument; fails (E0509) when that is an external function,
/// (E0507) when it is anything else.
const PrimFunc& called_kernel(const Call& call, const Module& module);
/// Runs a call of an op such as `call_tir` or `call_tir_inplace`, which names a loop-level function and allocates
/// results.
Value run_kernel_call(const Call& call, const ValueTuple& args, const Module& module, const Environment& environment,
                      KernelRunner& runner);
/// Runs a call of an op by the function that the op is lowered to.
Value run_lowered(const PrimFunc& func, const Call& call, const ValueTuple& args, const Environment& environment,
                  KernelRunner& runner);
/// Returns argument `i`, which must be a tuple (E0505).
const ValueTuple& tuple_argument(const Call& call, const ValueTuple& args, size_t i);

/// Calls a function whose results are among its arguments and are allocated in `memory`. Fails (E0506) when it changes
/// an array that is not in `memory`. Returns the function's result if that is a number, else an empty tuple.
Value run_on_memory(const PrimFunc& func, const ValueTuple& args, const Memory& memory, KernelRunner& runner);

/// Allocates the results of a call by the shapes and dtypes in its type.
std::vector<ArrayBuilder> new_results(const Type& type, const Environment& environment);

}  // namespace sunmao
