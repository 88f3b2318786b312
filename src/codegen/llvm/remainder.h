// The remainder of floats, which takes a loop, as LLVM instructions without library calls.
#pragma once
#include "codegen/llvm/types.h"
#include "target/isa.h"

namespace sunmao::llvm_codegen {

/// Emits fmod(x, y) for scalars or vectors of float32 or float64.
llvm::Value* emit_remainder(Builder& b, llvm::Value* x, llvm::Value* y, const Isa& isa);

}  // namespace sunmao::llvm_codegen
