// Rounding of vectors of float32 to bfloat16 by one instruction. That one gives 0 for numbers below the normal ones,
// which are rare: a vector with any of them is rounded as on other targets, so that all targets give the same bits.
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>

#include "codegen/llvm/kernel_emitter.h"

namespace sunmao::llvm_codegen {
namespace {

constexpr int kFloatBits = 32;

llvm::Intrinsic::ID rounding_of(const Isa& isa, DType dtype) {
  if (dtype.code != TypeCode::BFloat || (dtype.lanes != 8 && dtype.lanes != 16) ||
      !isa.has(Instruction::RoundToBFloat, dtype.lanes * kFloatBits))
    return llvm::Intrinsic::not_intrinsic;
  return dtype.lanes == 16 ? llvm::Intrinsic::x86_avx512bf16_cvtneps2bf16_512
                           : llvm::Intrinsic::x86_avx512bf16_cvtneps2bf16_256;
}

/// True for lanes of float32 whose exponent is that of 0, and which are not 0.
llvm::Value* are_below_normal(Builder& b, llvm::Value* value) {
  constexpr uint32_t kExponent = 0x7f800000u, kFraction = 0x007fffffu;
  llvm::Type* word = with_lanes_of(b.getInt32Ty(), value->getType());
  llvm::Value *bits = b.CreateBitCast(value, word), *zero = llvm::Constant::getNullValue(word);
  const auto part = [&](uint32_t mask) { return b.CreateAnd(bits, llvm::ConstantInt::get(word, mask)); };
  return b.CreateAnd(b.CreateICmpEQ(part(kExponent), zero), b.CreateICmpNE(part(kFraction), zero));
}

}  // namespace

bool KernelEmitter::is_bfloat(const Scalar& s) {
  if (s->dtype.code != TypeCode::BFloat) return false;
  if (const auto* n = find<Binary>(s))
    return (n->op == BinaryOp::Max || n->op == BinaryOp::Min) && is_bfloat(n->a) && is_bfloat(n->b);
  if (const auto* n = find<Select>(s)) return is_bfloat(n->then_value) && is_bfloat(n->else_value);
  if (const auto* n = find<Broadcast>(s)) return is_bfloat(n->value);
  const auto* choice = find<ScalarCall>(s);
  if (choice && choice->name == "if_then_else") return is_bfloat(choice->args[1]) && is_bfloat(choice->args[2]);
  return find<BufferLoad>(s) || find<FloatImm>(s);
}

llvm::Value* KernelEmitter::round_to_memory(llvm::Value* value, DType dtype) {
  const llvm::Intrinsic::ID id = rounding_of(state_.target.isa, dtype);
  if (!id || !value->getType()->isVectorTy() || llvm::isa<llvm::Constant>(value)) return to_memory(b_, value, dtype);
  llvm::Type* half = with_lanes_of(b_.getInt16Ty(), value->getType());
  llvm::BasicBlock *small = make_block("below_normal"), *normal = make_block("normal"), *join = make_block("join");
  llvm::MDNode* weights = llvm::MDBuilder(context()).createBranchWeights(1, 1000);
  b_.CreateCondBr(b_.CreateOrReduce(are_below_normal(b_, value)), small, normal, weights);
  b_.SetInsertPoint(small);
  llvm::Value* exact = to_memory(b_, value, dtype);
  b_.CreateBr(join);
  b_.SetInsertPoint(normal);
  llvm::Value* rounded = b_.CreateBitCast(b_.CreateIntrinsic(id, {}, {value}), half);
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  llvm::PHINode* phi = b_.CreatePHI(half, 2);
  phi->addIncoming(exact, small);
  phi->addIncoming(rounded, normal);
  return phi;
}

}  // namespace sunmao::llvm_codegen
