// Types: how elements stand in memory and in registers. bool is a byte in memory and one bit in registers, integers of
// less than 8 bits too are a byte each. Floats of 16 bits and less are computed as float32 and rounded when stored or
// cast.
#pragma once
#include <llvm/IR/IRBuilder.h>

#include "support/dtype.h"
#include "support/span.h"

namespace sunmao::llvm_codegen {

using Builder = llvm::IRBuilder<>;

/// E1002 for element types that no kernel computes with. `span` is where the type is used.
llvm::Type* register_type(llvm::LLVMContext& context, DType dtype, const Span& span = {});
llvm::Type* memory_type(llvm::LLVMContext& context, DType dtype, const Span& span = {});

/// A loaded value as it is computed with, and the way back. `dtype` says what the memory holds.
llvm::Value* from_memory(Builder& b, llvm::Value* stored, DType dtype);
llvm::Value* to_memory(Builder& b, llvm::Value* value, DType dtype);
/// A float as memory of this dtype would hold it, in a register.
llvm::Value* rounded(Builder& b, llvm::Value* value, DType dtype);

/// `like` or a vector of it with as many lanes as `shape_of` has.
llvm::Type* with_lanes_of(llvm::Type* like, llvm::Type* shape_of);
inline int64_t element_bytes(DType dtype) { return (dtype.bits + 7) / 8; }

}  // namespace sunmao::llvm_codegen
