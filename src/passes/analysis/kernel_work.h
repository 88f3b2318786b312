// Analysis: how much a kernel does, for reports of its speed.
#pragma once
#include "loop/prim_func.h"

namespace sunmao {

/// Expressions over the function's symbols.
struct KernelWork {
  /// Arithmetic operations on elements. A multiply-add counts as 2, an intrinsic such as exp as 1; what computes
  /// indices and conditions does not count.
  Scalar flops;
  /// Bytes of the elements of parameters that are read, or written, once each: at most the whole buffer, and at most
  /// one element per access.
  Scalar bytes;
};

/// Counts the work of a function that is not scheduled yet. A loop variable in an extent is taken as its mean, and a
/// loop whose extent depends on data as one iteration.
KernelWork count_work(const PrimFunc& func);

}  // namespace sunmao
