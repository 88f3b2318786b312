// Conversions of 8-, 6- and 4-bit floats (support/small_float.h) in LLVM IR: codes are bytes in memory and float32 in
// registers.
#pragma once
#include "codegen/llvm/types.h"

namespace sunmao::llvm_codegen {

/// Convert codes (i8 or vectors of it) to float32 and back.
llvm::Value* float_of_codes(Builder& b, llvm::Value* codes, DType dtype);
llvm::Value* codes_of_float(Builder& b, llvm::Value* value, DType dtype);

}  // namespace sunmao::llvm_codegen
