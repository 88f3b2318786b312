#include "codegen/llvm/remainder.h"

#include <llvm/IR/Intrinsics.h>

#include <cmath>
#include <limits>

namespace sunmao::llvm_codegen {
namespace {

/// fmod on float64: subtracts multiples of |y| from |x| until the rest is less than |y|.
class Remainder {
 public:
  /// `is_narrow`: the operands were converted from float32.
  Remainder(Builder& b, llvm::Type* type, bool is_narrow) : b_(b), type_(type), is_narrow_(is_narrow) {}

  llvm::Value* emit(llvm::Value* x, llvm::Value* y);

 private:
  using Value = llvm::Value*;
  Value number(double v) const { return llvm::ConstantFP::get(type_, v); }
  Value magnitude(Value x) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }
  Value whole(Value x) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, x); }
  Value rest_of(Value left, Value step, Value quotient);

  Builder& b_;
  llvm::Type* const type_;
  const bool is_narrow_;
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
  b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  llvm::PHINode *left = b_.CreatePHI(type_, 2), *turned = b_.CreatePHI(is_defined->getType(), 2);
  left->addIncoming(start, before);
  turned->addIncoming(llvm::Constant::getNullValue(is_defined->getType()), before);
  // If the quotient overflows, fmod first subtracts a multiple of y.
  const Value overflows = b_.CreateFCmpOEQ(b_.CreateFDiv(left, by), number(infinity));
  const Value step = b_.CreateSelect(overflows, b_.CreateFMul(by, number(0x1p600)), by);
  const Value rest = rest_of(left, step, whole(b_.CreateFDiv(left, step)));
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

// Returns left - q * step without rounding error, where q is `quotient` or, if `is_narrow_`, its leading bits.
llvm::Value* Remainder::rest_of(Value left, Value step, Value quotient) {
  if (!is_narrow_) return b_.CreateIntrinsic(llvm::Intrinsic::fma, {type_}, {b_.CreateFNeg(quotient), step, left});
  // The product of a float32 value and the leading 29 bits of the quotient is exact in float64.
  llvm::Type* word = with_lanes_of(b_.getInt64Ty(), type_);
  const Value leading = llvm::ConstantInt::get(word, ~((uint64_t{1} << 24) - 1));
  const Value cut = b_.CreateBitCast(b_.CreateAnd(b_.CreateBitCast(quotient, word), leading), type_);
  return b_.CreateFSub(left, b_.CreateFMul(cut, step));
}

}  // namespace

llvm::Value* emit_remainder(Builder& b, llvm::Value* x, llvm::Value* y, bool has_fma) {
  llvm::Type* type = x->getType();
  if (type->getScalarType()->isDoubleTy()) return has_fma ? Remainder(b, type, false).emit(x, y) : nullptr;
  llvm::Type* wide = with_lanes_of(b.getDoubleTy(), type);
  return b.CreateFPTrunc(Remainder(b, wide, true).emit(b.CreateFPExt(x, wide), b.CreateFPExt(y, wide)), type);
}

}  // namespace sunmao::llvm_codegen
