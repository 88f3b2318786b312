#include "codegen/llvm/arithmetic.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

#include <cmath>
#include <optional>

#include "support/diagnostic.h"

namespace sunmao::llvm_codegen {
namespace {

const llvm::APInt* constant_int(llvm::Value* v) {
  auto* c = llvm::dyn_cast<llvm::Constant>(v);
  if (c && c->getType()->isVectorTy()) c = c->getSplatValue();
  auto* i = llvm::dyn_cast_or_null<llvm::ConstantInt>(c);
  return i ? &i->getValue() : nullptr;
}

llvm::Value* zero_like(llvm::Value* v) { return llvm::Constant::getNullValue(v->getType()); }

// Replaces divisors that trap by 1: zero, and -1 if x is the smallest integer. x / 0 is defined as 0.
llvm::Value* safe_divisor(Builder& b, llvm::Value* x, llvm::Value* y, bool is_signed) {
  if (const llvm::APInt* c = constant_int(y); c && !c->isZero() && !(is_signed && c->isAllOnes())) return y;
  llvm::Value* bad = b.CreateICmpEQ(y, zero_like(y));
  if (is_signed) {
    const unsigned bits = y->getType()->getScalarSizeInBits();
    llvm::Value* smallest = llvm::ConstantInt::get(y->getType(), llvm::APInt::getSignedMinValue(bits));
    llvm::Value* minus_one = llvm::Constant::getAllOnesValue(y->getType());
    bad = b.CreateOr(bad, b.CreateAnd(b.CreateICmpEQ(x, smallest), b.CreateICmpEQ(y, minus_one)));
  }
  return b.CreateSelect(bad, llvm::ConstantInt::get(y->getType(), 1), y);
}

llvm::Value* zero_if_divided_by_zero(Builder& b, llvm::Value* result, llvm::Value* y) {
  if (const llvm::APInt* c = constant_int(y); c && !c->isZero()) return result;
  return b.CreateSelect(b.CreateICmpEQ(y, zero_like(y)), zero_like(result), result);
}

llvm::Value* emit_int_division(Builder& b, BinaryOp op, llvm::Value* x, llvm::Value* y, bool is_signed) {
  const llvm::APInt* c = constant_int(y);
  const bool is_floor = op == BinaryOp::FloorDiv || op == BinaryOp::FloorMod;
  const bool is_quotient = op == BinaryOp::FloorDiv || op == BinaryOp::Div;
  if (c && c->isPowerOf2() && !(is_signed && c->isNegative()) && is_floor)  // shifts and masks round down
    return is_quotient ? (is_signed ? b.CreateAShr(x, c->logBase2()) : b.CreateLShr(x, c->logBase2()))
                       : b.CreateAnd(x, llvm::ConstantInt::get(y->getType(), *c - 1));
  llvm::Value* d = safe_divisor(b, x, y, is_signed);
  if (!is_signed) return zero_if_divided_by_zero(b, is_quotient ? b.CreateUDiv(x, d) : b.CreateURem(x, d), y);
  if (!is_floor) return zero_if_divided_by_zero(b, is_quotient ? b.CreateSDiv(x, d) : b.CreateSRem(x, d), y);
  llvm::Value* remainder = b.CreateSRem(x, d);
  llvm::Value* crosses =
      b.CreateAnd(b.CreateICmpNE(remainder, zero_like(x)), b.CreateICmpSLT(b.CreateXor(remainder, d), zero_like(x)));
  llvm::Value* result = is_quotient ? b.CreateAdd(b.CreateSDiv(x, d), b.CreateSExt(crosses, x->getType()))
                                    : b.CreateAdd(remainder, b.CreateSelect(crosses, d, zero_like(x)));
  return zero_if_divided_by_zero(b, result, y);
}

// NaN-propagating minimum or maximum. A comparison and select propagates NaN of the second operand, so a constant goes
// first. Of two variables the second is looked at for NaN: it is the new element of a reduction, whose chain through
// the first operand stays short.
llvm::Value* emit_float_extreme(Builder& b, llvm::Value* x, llvm::Value* y, bool is_max) {
  if (llvm::isa<llvm::Constant>(y)) std::swap(x, y);
  if (llvm::isa<llvm::Constant>(x)) return b.CreateSelect(is_max ? b.CreateFCmpOGT(x, y) : b.CreateFCmpOLT(x, y), x, y);
  llvm::Value* best = b.CreateBinaryIntrinsic(is_max ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum, y, x);
  if (auto* call = llvm::dyn_cast<llvm::Instruction>(best)) call->setHasNoSignedZeros(true);
  return best;
}

llvm::Value* emit_float(Builder& b, BinaryOp op, llvm::Value* x, llvm::Value* y) {
  switch (op) {
    case BinaryOp::Add: return b.CreateFAdd(x, y);
    case BinaryOp::Sub: return b.CreateFSub(x, y);
    case BinaryOp::Mul: return b.CreateFMul(x, y);
    case BinaryOp::Div: return b.CreateFDiv(x, y);
    case BinaryOp::FloorDiv: return b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, b.CreateFDiv(x, y));
    case BinaryOp::FloorMod:
    case BinaryOp::TruncMod: {
      const auto round = op == BinaryOp::FloorMod ? llvm::Intrinsic::floor : llvm::Intrinsic::trunc;
      return b.CreateFSub(x, b.CreateFMul(b.CreateUnaryIntrinsic(round, b.CreateFDiv(x, y)), y));
    }
    case BinaryOp::Min: return emit_float_extreme(b, x, y, false);
    case BinaryOp::Max: return emit_float_extreme(b, x, y, true);
    case BinaryOp::Eq: return b.CreateFCmpOEQ(x, y);
    case BinaryOp::Ne: return b.CreateFCmpUNE(x, y);
    case BinaryOp::Lt: return b.CreateFCmpOLT(x, y);
    case BinaryOp::Le: return b.CreateFCmpOLE(x, y);
    case BinaryOp::Gt: return b.CreateFCmpOGT(x, y);
    case BinaryOp::Ge: return b.CreateFCmpOGE(x, y);
    case BinaryOp::And:
    case BinaryOp::Or: break;
  }
  SUNMAO_CHECK(false, "{} of floats", name_of(op));
}

llvm::Value* emit_compare(Builder& b, BinaryOp op, llvm::Value* x, llvm::Value* y, bool is_signed) {
  using P = llvm::CmpInst::Predicate;
  switch (op) {
    case BinaryOp::Eq: return b.CreateICmpEQ(x, y);
    case BinaryOp::Ne: return b.CreateICmpNE(x, y);
    case BinaryOp::Lt: return b.CreateICmp(is_signed ? P::ICMP_SLT : P::ICMP_ULT, x, y);
    case BinaryOp::Le: return b.CreateICmp(is_signed ? P::ICMP_SLE : P::ICMP_ULE, x, y);
    case BinaryOp::Gt: return b.CreateICmp(is_signed ? P::ICMP_SGT : P::ICMP_UGT, x, y);
    default: return b.CreateICmp(is_signed ? P::ICMP_SGE : P::ICMP_UGE, x, y);
  }
}

llvm::Value* emit_int(Builder& b, BinaryOp op, llvm::Value* x, llvm::Value* y, bool is_signed, bool no_wrap) {
  switch (op) {
    case BinaryOp::Add: return b.CreateAdd(x, y, "", false, no_wrap);
    case BinaryOp::Sub: return b.CreateSub(x, y, "", false, no_wrap);
    case BinaryOp::Mul: return b.CreateMul(x, y, "", false, no_wrap);
    case BinaryOp::Div:
    case BinaryOp::TruncMod:
    case BinaryOp::FloorDiv:
    case BinaryOp::FloorMod: return emit_int_division(b, op, x, y, is_signed);
    case BinaryOp::Min: return b.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, x, y);
    case BinaryOp::Max: return b.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, x, y);
    case BinaryOp::And: return b.CreateAnd(x, y);
    case BinaryOp::Or: return b.CreateOr(x, y);
    default: return emit_compare(b, op, x, y, is_signed);
  }
}

// Converts floats to a signed integer type, clamping to its range; NaN becomes 0. Not the intrinsic, whose vector code
// is slow.
llvm::Value* saturated(Builder& b, llvm::Value* value, llvm::Type* wide) {
  const unsigned bits = wide->getScalarSizeInBits();
  auto bound = [&](double sign) {
    return llvm::ConstantFP::get(value->getType(), std::ldexp(sign, static_cast<int>(bits) - 1));
  };
  llvm::Value* low = bound(-1);
  llvm::Value* is_too_large = b.CreateFCmpOGE(value, bound(1));
  llvm::Value* fits = b.CreateSelect(is_too_large, zero_like(value), value);
  llvm::Value* converted = b.CreateFPToSI(b.CreateSelect(b.CreateFCmpOGE(fits, low), fits, low), wide);
  llvm::Value* highest = llvm::ConstantInt::get(wide, llvm::APInt::getSignedMaxValue(bits));
  converted = b.CreateSelect(is_too_large, highest, converted);
  return b.CreateSelect(b.CreateFCmpUNO(value, value), llvm::Constant::getNullValue(wide), converted);
}

/// What `emit_float_extreme` makes of a constant and another value.
struct Bounded {
  llvm::Value* value;
  double bound;
  bool is_low;
};

std::optional<Bounded> read_bound(llvm::Value* v) {
  const auto* choice = llvm::dyn_cast<llvm::SelectInst>(v);
  const auto* test = choice ? llvm::dyn_cast<llvm::FCmpInst>(choice->getCondition()) : nullptr;
  if (!test || choice->getTrueValue() != test->getOperand(0) || choice->getFalseValue() != test->getOperand(1))
    return std::nullopt;
  const bool is_low = test->getPredicate() == llvm::CmpInst::FCMP_OGT;
  auto* bound = llvm::dyn_cast<llvm::Constant>(test->getOperand(0));
  if (bound && bound->getType()->isVectorTy()) bound = bound->getSplatValue();
  const auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(bound);
  if (!number || (!is_low && test->getPredicate() != llvm::CmpInst::FCMP_OLT)) return std::nullopt;
  return Bounded{test->getOperand(1), number->getValue().convertToDouble(), is_low};
}

/// Converts floats that are clamped to a range of int32 already; NaN becomes 0. Null for others.
llvm::Value* clamped_to_int(Builder& b, llvm::Value* value, llvm::Type* word) {
  const std::optional<Bounded> outer = read_bound(value), inner = outer ? read_bound(outer->value) : std::nullopt;
  if (!inner || inner->is_low == outer->is_low) return nullptr;
  for (const double bound : {outer->bound, inner->bound})
    if (!(bound >= -0x1p31 && bound < 0x1p31)) return nullptr;
  llvm::Value* zero = zero_like(value);
  value = outer->is_low && outer->bound == 0
              ? b.CreateSelect(b.CreateFCmpOGT(outer->value, zero), outer->value, zero)  // one maximum
              : b.CreateSelect(b.CreateFCmpORD(value, value), value, zero);
  return b.CreateFPToSI(value, word);
}

llvm::Value* float_to_int(Builder& b, llvm::Value* value, DType to, llvm::Type* type) {
  // Clamps to int32 for int32 and narrower types, else to int64, then keeps the low bits; for uint64, values from 2^63
  // on are clamped to uint64. NaN becomes 0.
  const bool is_word = to.bits < 32 || (to.is_int() && to.bits == 32);
  llvm::Type* wide = with_lanes_of(b.getIntNTy(is_word ? 32 : 64), type);
  llvm::Value* converted = is_word ? clamped_to_int(b, value, wide) : nullptr;
  if (!converted) converted = saturated(b, value, wide);
  if (to.is_uint() && to.bits == 64)
    converted =
        b.CreateSelect(b.CreateFCmpOGE(value, llvm::ConstantFP::get(value->getType(), 0x1p63)),
                       b.CreateIntrinsic(llvm::Intrinsic::fptoui_sat, {wide, value->getType()}, {value}), converted);
  return b.CreateTrunc(converted, type);
}

}  // namespace

llvm::Value* kept_wide(Builder& b, llvm::Value* value, DType dtype) {
  const bool is_half = dtype.code == TypeCode::Float && dtype.bits == 16;
  return is_half && !llvm::isa<llvm::Constant>(value) ? b.CreateArithmeticFence(value, value->getType()) : value;
}

llvm::Value* emit_binary(Builder& b, BinaryOp op, llvm::Value* x, llvm::Value* y, DType dtype, Wrap wrap) {
  if (is_logical(op) && !x->getType()->isIntOrIntVectorTy(1)) {
    x = b.CreateICmpNE(x, zero_like(x));
    y = b.CreateICmpNE(y, zero_like(y));
  }
  if (is_comparison(op) || op == BinaryOp::Min || op == BinaryOp::Max) {
    llvm::Value* wide = kept_wide(b, x, dtype);
    y = y == x ? wide : kept_wide(b, y, dtype);
    x = wide;
  }
  if (dtype.is_float()) return emit_float(b, op, x, y);
  if (dtype.is_bool() && op == BinaryOp::Add) return b.CreateOr(x, y);
  return emit_int(b, op, x, y, dtype.is_int(), wrap == Wrap::Index && dtype.is_int());
}

llvm::Value* emit_cast(Builder& b, llvm::Value* value, DType from, DType to) {
  llvm::Type* type = register_type(b.getContext(), to);
  if (from == to) return value;
  value = kept_wide(b, value, from);
  if (to.is_float()) {
    llvm::Value* result;
    if (from.is_float())
      result = b.CreateFPCast(value, type);
    else
      result = from.is_int() ? b.CreateSIToFP(value, type) : b.CreateUIToFP(value, type);
    // Rounds to a float type narrower than float32, whose values are float32 in registers.
    return rounded(b, result, to);
  }
  if (to.is_bool()) {
    if (from.is_float()) return b.CreateFCmpUNE(value, zero_like(value));
    return b.CreateICmpNE(value, zero_like(value));
  }
  if (from.is_float()) return float_to_int(b, value, to, type);
  if (from.code == TypeCode::Handle || to.code == TypeCode::Handle) return b.CreateBitOrPointerCast(value, type);
  return from.is_int() ? b.CreateSExtOrTrunc(value, type) : b.CreateZExtOrTrunc(value, type);
}

llvm::Value* emit_not(Builder& b, llvm::Value* value, DType dtype) {
  return dtype.is_bool() ? b.CreateNot(value) : b.CreateICmpEQ(value, zero_like(value));
}

}  // namespace sunmao::llvm_codegen
