// The loop-level function that a call names.
#pragma once
#include "ir/op.h"

namespace sunmao {

/// Returns the function of the module that `e`, a call of `call_tir` or `call_tir_inplace`, names; else null.
inline const GlobalVar* kernel_callee(const Expr& e) {
  const Call* call = find_call(e, "call_tir");
  if (!call) call = find_call(e, "call_tir_inplace");
  return call ? find<GlobalVar>(call->args[0]) : nullptr;
}

}  // namespace sunmao
