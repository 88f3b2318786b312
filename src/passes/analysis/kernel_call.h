// KernelCall: a call_tir taken apart, with its function written in the symbols of the caller.
#pragma once
#include "ir/builder.h"
#include "ir/walk.h"
#include "loop/prim_func.h"
#include "sym/walk.h"

namespace sunmao {

struct KernelCall {
  const GlobalVar* callee;
  std::vector<Expr> inputs;
  std::vector<Type> outputs;
  Ref<PrimFunc> func;
  /// The value of each of func's symbols (its `dims()`), in terms of the caller's.
  Substitution symbols;
};

/// Null when `e` is not a call_tir of a loop-level function of the module. Fails (E0508) when arguments and parameters
/// do not fit.
std::optional<KernelCall> find_kernel_call(const Expr& e, const Module& module);

/// A call_tir of `func` on tensors, written in the symbols of the caller; the function joins `functions` under a name
/// near `hint`.
Ref<Call> call_kernel(BlockBuilder& functions, const std::string& hint, const Ref<PrimFunc>& func,
                      std::vector<Expr> tensors, const Type& result, Span span);

/// The function with the caller's symbols in place of its own, and fresh names for all that it defines inside.
Ref<PrimFunc> instantiate(const KernelCall& call);

}  // namespace sunmao
