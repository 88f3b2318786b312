// Calls of loop-level functions on values; arrays of the caller are not modified.
#pragma once
#include "eval/environment.h"
#include "eval/kernel_runner.h"
#include "eval/memory.h"
#include "ir/module.h"
#include "loop/prim_func.h"

namespace sunmao {

/// A call that allocates its results. The arguments are inputs, outputs of type `result`, then `scalars`. `inplace` has
/// for each output the index of the input that provides its initial contents, or -1; empty if there is none.
struct KernelRun {
  const PrimFunc& func;
  const ValueTuple& inputs;
  Type result;
  const ShapeValue& scalars;
  std::vector<int64_t> inplace = {};
};
Value run_kernel(const KernelRun& call, const Environment& environment, KernelRunner& runner);

/// Returns the loop-level function that is the call's first argument; fails (E0507), or (E0509) when the module lacks
/// it.
const PrimFunc& called_kernel(const Call& call, const Module& module);
/// Runs `call_tir`, `call_tir_inplace` and the like.
Value run_kernel_call(const Call& call, const ValueTuple& args, const Module& module, const Environment& environment,
                      KernelRunner& runner);
/// Runs a call of an op by the function that the op is lowered to.
Value run_lowered(const PrimFunc& func, const Call& call, const ValueTuple& args, const Environment& environment,
                  KernelRunner& runner);
/// Returns argument `i`, which must be a tuple (E0505).
const ValueTuple& tuple_argument(const Call& call, const ValueTuple& args, size_t i);

/// Calls a function whose results are among its arguments, and must be allocated in `memory`: fails (E0506) when it
/// writes to another one. Returns the function's result, if it has one.
Value run_on_memory(const PrimFunc& func, const ValueTuple& args, const Memory& memory, KernelRunner& runner);

/// Allocates the results of a call by the shapes and dtypes in its type.
std::vector<ArrayBuilder> new_results(const Type& type, const Environment& environment);

}  // namespace sunmao
