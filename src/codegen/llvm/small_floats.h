// Floats of 8, 6 and 4 bits (support/small_float.h) as instructions: codes are bytes in memory, float32 in registers.
#pragma once
#include "codegen/llvm/types.h"

namespace sunmao::llvm_codegen {

/// The floats that codes (i8 or a vector of it) are, and the codes that floats become.
llvm::Value* float_of_codes(Builder& b, llvm::Value* codes, DType dtype);
llvm::Value* codes_of_float(Builder& b, llvm::Value* value, DType dtype);

}  // namespace sunmao::llvm_codegen
