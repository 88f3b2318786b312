// Scalar operators on LLVM values, with the semantics of the loop IR: floor division, NaN-propagating minimum and
// maximum, and no traps.
#pragma once
#include "codegen/llvm/types.h"
#include "sym/scalar.h"

namespace sunmao::llvm_codegen {

/// Overflow behaviour of integer results: data wraps around; indices do not overflow, which LLVM may exploit.
enum class Wrap : uint8_t { Data, Index };

/// Emit operators; `dtype` is the dtype of the operands. Comparisons return i1.
llvm::Value* emit_binary(Builder& b, BinaryOp op, llvm::Value* x, llvm::Value* y, DType dtype, Wrap wrap);
llvm::Value* emit_cast(Builder& b, llvm::Value* value, DType from, DType to);
llvm::Value* emit_not(Builder& b, llvm::Value* value, DType dtype);

/// Returns a value of `dtype` in a form whose float16 operations LLVM does not narrow again: it has no vector code for
/// comparisons, roundings and conversions to integers of float16, and takes them apart into lanes.
llvm::Value* kept_wide(Builder& b, llvm::Value* value, DType dtype);

}  // namespace sunmao::llvm_codegen
