#include "codegen/llvm/remainder.h"

#include <llvm/IR/Intrinsics.h>

#include <cmath>
#include <limits>

namespace sunmao::llvm_codegen {
namespace {

/// fmod on float64: subtracts multiples of |y| from |x| until the rest is less than |y|.
class Remainder {
 public:
  /// How a multiple of a number is subtracted without rounding error.
  enum class Exact {
    Fused,     // by a multiplication and subtraction that is rounded once
    InHalves,  // the leading bits of the quotient times each half of the number
    Narrow,    // the number was converted from float32: the leading bits of the quotient times it
  };
  Remainder(Builder& b, llvm::Type* type, Exact exact) : b_(b), type_(type), exact_(exact) {}

  llvm::Value* emit(llvm::Value* x, llvm::Value* y);

 private:
  using Value = llvm::Value*;
  Value number(double v) const { return llvm::ConstantFP::get(type_, v); }
  Value magnitude(Value x) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }
  Value whole(Value x) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, x); }
  Value leading_bits(Value x, unsigned dropped);
  Value rest_of(Value left, Value step, Value quotient);

  Builder& b_;
  llvm::Type* const type_;
  const Exact exact_;
};

// A rounded quotient may make the rest negative: then its magnitude is used, and `turned` records the sign.
llvm::Value* Remainder::emit(Value x, Value y) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Value size = magnitude(x), by = magnitude(y);
  const Value is_defined = b_.CreateAnd(b_.CreateFCmpONE(size, number(infinity)), b_.CreateFCmpOGT(by, number(0)));
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::Function* function = before->getParent();
  llvm::BasicBlock* loop = llvm::BasicBlock::Create(b_.getContext(), "remainder", function);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(b_.getContext(), "remainder_end", function);
  const Value start = b_.CreateSelect(is_defined, size, number(0));
  // Where the quotient by y overflows, a multiple of y is subtracted first; y is less than 1 then.
  const Value far = b_.CreateFMul(by, number(0x1p600)), farther = b_.CreateFMul(far, number(0x1p500));
  b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  llvm::PHINode *left = b_.CreatePHI(type_, 2), *turned = b_.CreatePHI(is_defined->getType(), 2);
  left->addIncoming(start, before);
  turned->addIncoming(llvm::Constant::getNullValue(is_defined->getType()), before);
  Value step = by, quotient = b_.CreateFDiv(left, by);
  for (const Value multiple : {far, farther}) {
    const Value overflows = b_.CreateFCmpOEQ(quotient, number(infinity));
    step = b_.CreateSelect(overflows, multiple, step);
    quotient = b_.CreateSelect(overflows, b_.CreateFDiv(left, multiple), quotient);
  }
  const Value rest = rest_of(left, step, whole(quotient));
  const Value is_over = b_.CreateFCmpOGE(left, by);
  const Value next = b_.CreateSelect(is_over, magnitude(rest), left);
  const Value flips = b_.CreateXor(turned, b_.CreateAnd(is_over, b_.CreateFCmpOLT(rest, number(0))));
  const Value goes_on = b_.CreateFCmpOGE(next, by);
  left->addIncoming(next, loop);
  turned->addIncoming(flips, loop);
  b_.CreateCondBr(type_->isVectorTy() ? b_.CreateOrReduce(goes_on) : goes_on, loop, after);
  b_.SetInsertPoint(after);
  const Value is_turned = b_.CreateAnd(flips, b_.CreateFCmpOGT(next, number(0)));
  const Value counted = b_.CreateSelect(is_turned, b_.CreateFSub(by, next), next);
  const Value is_number = b_.CreateAnd(is_defined, b_.CreateFCmpORD(x, y));
  const Value signed_rest = b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, counted, x);
  return b_.CreateSelect(is_number, signed_rest, number(std::nan("")));
}

// Returns the number without so many of its last bits.
llvm::Value* Remainder::leading_bits(Value x, unsigned dropped) {
  llvm::Type* word = with_lanes_of(b_.getInt64Ty(), type_);
  const Value kept = llvm::ConstantInt::get(word, ~((uint64_t{1} << dropped) - 1));
  return b_.CreateBitCast(b_.CreateAnd(b_.CreateBitCast(x, word), kept), type_);
}

// Returns left - q * step without rounding error, where q is the quotient or its leading bits.
llvm::Value* Remainder::rest_of(Value left, Value step, Value quotient) {
  switch (exact_) {
    case Exact::Fused: return b_.CreateIntrinsic(llvm::Intrinsic::fma, {type_}, {b_.CreateFNeg(quotient), step, left});
    case Exact::Narrow:  // 24 bits times 29
      return b_.CreateFSub(left, b_.CreateFMul(leading_bits(quotient, 24), step));
    case Exact::InHalves: break;
  }
  // 26 bits times 26 and 27. The first difference is exact since its terms are near each other, the second since what
  // is left is a multiple of the last bit of `step` times that of q, and has few enough of these.
  const llvm::IRBuilderBase::FastMathFlagGuard guard(b_);
  b_.clearFastMathFlags();
  const Value q = leading_bits(quotient, 27), high = leading_bits(step, 27), low = b_.CreateFSub(step, high);
  return b_.CreateFSub(b_.CreateFSub(left, b_.CreateFMul(q, high)), b_.CreateFMul(q, low));
}

}  // namespace

llvm::Value* emit_remainder(Builder& b, llvm::Value* x, llvm::Value* y, const Isa& isa) {
  using Exact = Remainder::Exact;
  llvm::Type* type = x->getType();
  const Exact exact = isa.has(Instruction::FusedMultiplyAdd) ? Exact::Fused : Exact::InHalves;
  if (type->getScalarType()->isDoubleTy()) return Remainder(b, type, exact).emit(x, y);
  llvm::Type* wide = with_lanes_of(b.getDoubleTy(), type);
  return b.CreateFPTrunc(Remainder(b, wide, Exact::Narrow).emit(b.CreateFPExt(x, wide), b.CreateFPExt(y, wide)), type);
}

}  // namespace sunmao::llvm_codegen
