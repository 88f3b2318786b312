#include "codegen/llvm/types.h"

#include "codegen/llvm/small_floats.h"
#include "support/diagnostic.h"
#include "support/small_float.h"

namespace sunmao::llvm_codegen {
namespace {

llvm::Type* element_type(llvm::LLVMContext& context, DType dtype, bool in_memory, const Span& span) {
  const auto bits = static_cast<unsigned>(dtype.bits);
  switch (dtype.code) {
    case TypeCode::Bool: return llvm::Type::getIntNTy(context, in_memory ? 8 : 1);
    case TypeCode::Handle: return llvm::PointerType::getUnqual(context);
    case TypeCode::Int:
    case TypeCode::UInt:
      if (bits == 8 || bits == 16 || bits == 32 || bits == 64) return llvm::Type::getIntNTy(context, bits);
      if (bits == 1 || bits == 2 || bits == 4) return llvm::Type::getIntNTy(context, in_memory ? 8 : bits);
      break;
    case TypeCode::Float:
      if (bits == 64) return llvm::Type::getDoubleTy(context);
      if (bits == 32) return llvm::Type::getFloatTy(context);
      if (bits == 16) return in_memory ? llvm::Type::getInt16Ty(context) : llvm::Type::getFloatTy(context);
      break;
    case TypeCode::BFloat:
      if (bits == 16) return in_memory ? llvm::Type::getInt16Ty(context) : llvm::Type::getFloatTy(context);
      break;
    default:
      if (is_small_float(dtype)) return in_memory ? llvm::Type::getInt8Ty(context) : llvm::Type::getFloatTy(context);
      break;
  }
  fail("E1002", span, fmt::format("code generation: elements of type `{}` cannot be computed with", dtype.str()),
       "name a dtype: a float, an integer type of up to 64 bits, or bool");
}

llvm::Type* vector_of(llvm::Type* element, DType dtype) {
  return dtype.lanes == 1 ? element : llvm::FixedVectorType::get(element, dtype.lanes);
}

// Rounds float32 to the nearest bfloat16, ties to even; NaN becomes a quiet NaN.
llvm::Value* round_to_bfloat(Builder& b, llvm::Value* value) {
  llvm::Type* word = with_lanes_of(b.getInt32Ty(), value->getType());
  llvm::Type* half = with_lanes_of(b.getInt16Ty(), value->getType());
  llvm::Value* bits = b.CreateBitCast(value, word);
  llvm::Value* odd = b.CreateAnd(b.CreateLShr(bits, 16), 1);
  llvm::Value* rounded = b.CreateAdd(bits, b.CreateAdd(odd, llvm::ConstantInt::get(word, 0x7fff)));
  llvm::Value* quiet = b.CreateOr(bits, llvm::ConstantInt::get(word, 0x400000));
  llvm::Value* chosen = b.CreateSelect(b.CreateFCmpUNO(value, value), quiet, rounded);
  return b.CreateTrunc(b.CreateLShr(chosen, 16), half);
}

}  // namespace

llvm::Type* with_lanes_of(llvm::Type* like, llvm::Type* shape_of) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(shape_of);
  return vector ? llvm::FixedVectorType::get(like, vector->getNumElements()) : like;
}

llvm::Type* register_type(llvm::LLVMContext& context, DType dtype, const Span& span) {
  return vector_of(element_type(context, dtype, false, span), dtype);
}

llvm::Type* memory_type(llvm::LLVMContext& context, DType dtype, const Span& span) {
  return vector_of(element_type(context, dtype, true, span), dtype);
}

llvm::Value* from_memory(Builder& b, llvm::Value* stored, DType dtype) {
  const bool is_bit = dtype.is_bool() || (dtype.is_integral() && dtype.bits == 1);
  if (is_bit) return b.CreateICmpNE(stored, llvm::Constant::getNullValue(stored->getType()));
  if (dtype.code == TypeCode::Float && dtype.bits == 16)
    return b.CreateFPExt(b.CreateBitCast(stored, with_lanes_of(b.getHalfTy(), stored->getType())),
                         with_lanes_of(b.getFloatTy(), stored->getType()));
  if (dtype.code == TypeCode::BFloat) {
    llvm::Type* word = with_lanes_of(b.getInt32Ty(), stored->getType());
    return b.CreateBitCast(b.CreateShl(b.CreateZExt(stored, word), 16),
                           with_lanes_of(b.getFloatTy(), stored->getType()));
  }
  if (is_small_float(dtype)) return float_of_codes(b, stored, dtype);
  if (dtype.is_integral() && dtype.bits < 8)
    return b.CreateTrunc(stored, with_lanes_of(b.getIntNTy(dtype.bits), stored->getType()));
  return stored;
}

llvm::Value* to_memory(Builder& b, llvm::Value* value, DType dtype) {
  if (dtype.is_bool() || (dtype.is_integral() && dtype.bits < 8))
    return b.CreateZExt(value, with_lanes_of(b.getInt8Ty(), value->getType()));
  if (dtype.code == TypeCode::Float && dtype.bits == 16)
    return b.CreateBitCast(b.CreateFPTrunc(value, with_lanes_of(b.getHalfTy(), value->getType())),
                           with_lanes_of(b.getInt16Ty(), value->getType()));
  if (dtype.code == TypeCode::BFloat) return round_to_bfloat(b, value);
  if (is_small_float(dtype)) return codes_of_float(b, value, dtype);
  return value;
}

llvm::Value* bfloat_to_memory(Builder& b, llvm::Value* value) {
  llvm::Value* bits = b.CreateBitCast(value, with_lanes_of(b.getInt32Ty(), value->getType()));
  return b.CreateTrunc(b.CreateLShr(bits, 16), with_lanes_of(b.getInt16Ty(), value->getType()));
}

llvm::Value* rounded(Builder& b, llvm::Value* value, DType dtype) {
  return dtype.bits < 32 ? from_memory(b, to_memory(b, value, dtype), dtype) : value;
}

}  // namespace sunmao::llvm_codegen
