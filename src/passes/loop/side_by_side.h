// Kernels that only copy elements which lie side by side in memory, before and after.
#pragma once
#include "passes/analysis/kernel_call.h"

namespace sunmao {

/// A view of an operand of a kernel.
struct OperandView {
  size_t operand;
  Scalar begin;  // in bytes, in the caller's symbols
};

/// Returns for each output of a kernel the view of an operand that holds it; empty where a kernel does more than copy,
/// or where elements lie apart.
std::vector<OperandView> copied_views(const KernelCall& call);

/// Returns for each operand of a kernel where it begins in the output, in bytes and in the caller's symbols, when the
/// kernel puts its operands one behind another; else nothing.
std::vector<Scalar> joined_places(const KernelCall& call);

}  // namespace sunmao
