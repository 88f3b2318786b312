// Dot products of pairs of bfloat16: by one instruction where a target has it, else as two multiply-adds of float32.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "codegen/llvm/kernel_emitter.h"

namespace sunmao::llvm_codegen {
namespace {

using llvm::Intrinsic::ID;
constexpr int kLaneBits = 32;

ID pair_dot_of(const Isa& isa, int lanes) {
  if (!isa.has(Instruction::DotPairs, lanes * kLaneBits)) return llvm::Intrinsic::not_intrinsic;
  return lanes == 16  ? llvm::Intrinsic::x86_avx512bf16_dpbf16ps_512
         : lanes == 8 ? llvm::Intrinsic::x86_avx512bf16_dpbf16ps_256
                      : llvm::Intrinsic::x86_avx512bf16_dpbf16ps_128;
}

}  // namespace

llvm::Value* KernelEmitter::emit_pair_dots(const PairDots& dots) {
  llvm::Value *a = emit(dots.a), *b = emit(dots.b), *sum = emit(dots.sum);
  const int lanes = dots.sum->dtype.lanes;
  if (const ID id = pair_dot_of(state_.target.isa, lanes)) {
    auto* pairs = llvm::FixedVectorType::get(b_.getBFloatTy(), 2 * static_cast<unsigned>(lanes));
    return b_.CreateIntrinsic(id, {}, {sum, b_.CreateBitCast(a, pairs), b_.CreateBitCast(b, pairs)});
  }
  // A bfloat16 is the high half of the float32 that it equals.
  constexpr uint32_t kHighHalf = 0xffff0000u;
  const auto high = [&](llvm::Value* words) {
    return b_.CreateBitCast(b_.CreateAnd(words, llvm::ConstantInt::get(words->getType(), kHighHalf)), sum->getType());
  };
  const auto low = [&](llvm::Value* words) { return b_.CreateBitCast(b_.CreateShl(words, 16), sum->getType()); };
  sum = b_.CreateFAdd(sum, b_.CreateFMul(high(a), high(b)));
  return b_.CreateFAdd(sum, b_.CreateFMul(low(a), low(b)));
}

}  // namespace sunmao::llvm_codegen
