#include "codegen/llvm/scaled.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>

namespace sunmao::llvm_codegen {
namespace {

constexpr unsigned kRegisterBits = 512;

// Scales a register of numbers by one instruction.
llvm::Value* scale_register(Builder& b, llvm::Value* x, llvm::Value* n, bool is_double) {
  const auto id =
      is_double ? llvm::Intrinsic::x86_avx512_mask_scalef_pd_512 : llvm::Intrinsic::x86_avx512_mask_scalef_ps_512;
  constexpr uint32_t kCurrentRounding = 4;
  llvm::Value* all = llvm::ConstantInt::getAllOnesValue(b.getIntNTy(is_double ? 8 : 16));
  return b.CreateIntrinsic(id, {}, {x, n, llvm::PoisonValue::get(x->getType()), all, b.getInt32(kCurrentRounding)});
}

// Scales vectors of several registers, one after the other.
llvm::Value* scale_registers(Builder& b, llvm::Value* x, llvm::Value* n, unsigned lanes, bool is_double) {
  const unsigned part = kRegisterBits / (is_double ? 64 : 32);
  llvm::SmallVector<llvm::Value*> scaled;
  for (unsigned first = 0; first < lanes; first += part) {
    const llvm::SmallVector<int> at = llvm::createSequentialMask(first, part, 0);
    scaled.push_back(scale_register(b, b.CreateShuffleVector(x, at), b.CreateShuffleVector(n, at), is_double));
  }
  return llvm::concatenateVectors(b, scaled);
}

// Converts a whole number of some hundreds; NaN becomes any integer. Where it was rounded by adding 1.5 * 2^23, or 2^52
// for float64, and subtracting it again, the sum holds the integer in its low bits.
llvm::Value* integer_of(Builder& b, llvm::Value* n, llvm::Type* word) {
  using namespace llvm::PatternMatch;
  const bool is_double = n->getType()->getScalarType()->isDoubleTy();
  const llvm::APFloat* taken = nullptr;
  llvm::Value* sum = nullptr;
  if (match(n, m_FSub(m_Value(sum), m_APFloat(taken))) && taken->convertToDouble() == (is_double ? 0x1.8p52 : 0x1.8p23))
    return b.CreateSub(b.CreateBitCast(sum, word), b.CreateBitCast(llvm::ConstantFP::get(n->getType(), *taken), word));
  if (!is_double) return b.CreateFreeze(b.CreateFPToSI(n, word));
  llvm::Type* narrow = with_lanes_of(b.getInt32Ty(), word);
  return b.CreateSExt(b.CreateFreeze(b.CreateFPToSI(n, narrow)), word);
}

}  // namespace

llvm::Value* emit_scaled(Builder& b, llvm::Value* x, llvm::Value* n, const Isa& isa) {
  llvm::Type* type = x->getType();
  const bool is_double = type->getScalarType()->isDoubleTy();
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (isa.has(Instruction::ScaleByPower, kRegisterBits) && vector &&
      type->getPrimitiveSizeInBits().getFixedValue() % kRegisterBits == 0)
    return scale_registers(b, x, n, vector->getNumElements(), is_double);
  llvm::Type* word = with_lanes_of(is_double ? b.getInt64Ty() : b.getInt32Ty(), type);
  llvm::Value* exponent = integer_of(b, n, word);  // two factors are never out of range
  auto power_of_two = [&](llvm::Value* e) {
    llvm::Value* biased = b.CreateAdd(e, llvm::ConstantInt::get(word, is_double ? 1023 : 127));
    return b.CreateBitCast(b.CreateShl(biased, static_cast<uint64_t>(is_double ? 52 : 23)), type);
  };
  llvm::Value* half = b.CreateAShr(exponent, 1);
  // What overflows here is infinite: a sum with the product must not be computed as if it was not rounded.
  const llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  return b.CreateFMul(b.CreateFMul(x, power_of_two(half)), power_of_two(b.CreateSub(exponent, half)));
}

}  // namespace sunmao::llvm_codegen
