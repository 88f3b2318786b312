// Representation of elements in memory and registers: bool is a byte in memory and i1 in registers. Elements of less
// than a byte are packed in memory (packed_elements.cpp), where `memory_type` is that of their code, a byte of which
// the low bits count. Floats of 16 bits and less are computed in float32 and rounded when stored or cast.
#pragma once
#include "codegen/llvm/builder.h"
#include "support/dtype.h"
#include "support/span.h"

namespace sunmao::llvm_codegen {

/// Return the LLVM type of a dtype in registers and in memory; fail (E1002) for element types that kernels do not
/// support. `span` is the place of use.
llvm::Type* register_type(llvm::LLVMContext& context, DType dtype, const Span& span = {});
llvm::Type* memory_type(llvm::LLVMContext& context, DType dtype, const Span& span = {});

/// Convert between the memory and register representation of a value of `dtype`.
llvm::Value* from_memory(Builder& b, llvm::Value* stored, DType dtype);
llvm::Value* to_memory(Builder& b, llvm::Value* value, DType dtype);
/// The same for floats that are bfloat16: nothing is rounded.
llvm::Value* bfloat_to_memory(Builder& b, llvm::Value* value);
/// Rounds a float in a register to the precision of `dtype`.
llvm::Value* rounded(Builder& b, llvm::Value* value, DType dtype);

/// Returns `like`, or a vector of it with the lanes of `shape_of` if that is a vector.
llvm::Type* with_lanes_of(llvm::Type* like, llvm::Type* shape_of);
inline int64_t element_bytes(DType dtype) { return dtype.element().bytes(); }

}  // namespace sunmao::llvm_codegen
