// Floats times powers of two.
#pragma once
#include "codegen/llvm/types.h"
#include "target/isa.h"

namespace sunmao::llvm_codegen {

/// Emits x * 2^n for whole numbers n, given as floats, of at most twice the greatest exponent; n is NaN only where x
/// is.
llvm::Value* emit_scaled(Builder& b, llvm::Value* x, llvm::Value* n, const Isa& isa);

}  // namespace sunmao::llvm_codegen
