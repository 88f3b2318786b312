// Arithmetic: the operators of scalars on LLVM values, with the semantics of the loop IR (floor division, maxima that
// keep NaN, no trap on any operand).
#pragma once
#include "codegen/llvm/types.h"
#include "sym/scalar.h"

namespace sunmao::llvm_codegen {

/// What an integer result may be assumed of: data wraps around, an index never overflows.
enum class Wrap : uint8_t { Data, Index };

/// `dtype` is the operands' type; comparisons give i1.
llvm::Value* emit_binary(Builder& b, BinaryOp op, llvm::Value* x, llvm::Value* y, DType dtype, Wrap wrap);
llvm::Value* emit_cast(Builder& b, llvm::Value* value, DType from, DType to);
llvm::Value* emit_not(Builder& b, llvm::Value* value, DType dtype);

}  // namespace sunmao::llvm_codegen
