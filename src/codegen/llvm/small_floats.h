// Conversions of 8-, 6- and 4-bit floats (support/small_float.h) in LLVM IR: codes are bytes in memory and float32 in
// registers. And of float16 where a target lacks them.
#pragma once
#include "codegen/llvm/types.h"

namespace sunmao::llvm_codegen {

/// Converts the bits of float16 (i16 or vectors of it) to float32 by integer operations, for targets without an
/// instruction.
llvm::Value* float_of_halves(Builder& b, llvm::Value* codes);

/// Convert codes (i8 or vectors of it) to float32 and back.
llvm::Value* float_of_codes(Builder& b, llvm::Value* codes, DType dtype);
llvm::Value* codes_of_float(Builder& b, llvm::Value* value, DType dtype);

}  // namespace sunmao::llvm_codegen
