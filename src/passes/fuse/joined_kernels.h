// fuse-tir: joins the kernels that a graph-level function calls.
#pragma once
#include "ir/module.h"
#include "loop/prim_func.h"

namespace sunmao {

struct JoinedKernels {
  Ref<PrimFunc> func;
  /// For each result the index of the parameter in whose place it is, or -1 for a parameter of its own.
  std::vector<int64_t> places;
};

/// Returns a loop-level function that runs, in order, the kernels which `f` calls. Its parameters are those of `f`, the
/// values of shapes one by one, followed by the results; values between the kernels are allocated in it. Fails (E0544)
/// when `f` computes anything but kernel calls, tuples and their fields, or takes tuples; E0508 when a call does not
/// fit its kernel.
JoinedKernels join_calls(const Module& module, const std::string& name, const Function& f);

}  // namespace sunmao
