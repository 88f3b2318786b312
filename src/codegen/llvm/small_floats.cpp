#include "codegen/llvm/small_floats.h"

#include "support/small_float.h"

namespace sunmao::llvm_codegen {
namespace {

constexpr uint32_t kInfinity = 0x7f800000u, kQuietNan = 0x7fc00000u;

// 32-bit integer constants and conversions, with the lanes of `shape`.
class Words {
 public:
  Words(Builder& b, llvm::Value* shape) : b_(b), word(with_lanes_of(b.getInt32Ty(), shape->getType())) {}
  llvm::Value* number(uint32_t n) const { return llvm::ConstantInt::get(word, n); }
  llvm::Value* float_of(llvm::Value* bits) const {
    return b_.CreateBitCast(bits, with_lanes_of(b_.getFloatTy(), word));
  }
  llvm::Value* bits_of(llvm::Value* value) const { return b_.CreateBitCast(value, word); }
  llvm::Value* narrow(llvm::Value* bits) const { return b_.CreateTrunc(bits, with_lanes_of(b_.getInt8Ty(), word)); }

 private:
  Builder& b_;

 public:
  llvm::Type* const word;
};

llvm::Value* float_of_powers(Builder& b, llvm::Value* codes) {
  const Words w(b, codes);
  llvm::Value* code = b.CreateZExt(codes, w.word);
  llvm::Value* bits = b.CreateShl(code, 23);
  bits = b.CreateSelect(b.CreateICmpEQ(code, w.number(0)), w.number(0x400000u), bits);
  return w.float_of(b.CreateSelect(b.CreateICmpEQ(code, w.number(0xff)), w.number(kQuietNan), bits));
}

llvm::Value* powers_of_float(Builder& b, llvm::Value* value) {
  const Words w(b, value);
  llvm::Value* magnitude = b.CreateAnd(w.bits_of(value), w.number(0x7fffffffu));
  llvm::Value* half =
      b.CreateSelect(b.CreateICmpULT(magnitude, w.number(0x800000u)), w.number(0x3fffffu), w.number(0x400000u));
  llvm::Value* code = b.CreateLShr(b.CreateAdd(magnitude, half), 23);
  return w.narrow(b.CreateSelect(b.CreateICmpUGE(magnitude, w.number(kInfinity)), w.number(0xff), code));
}

// Returns the nearest code of a magnitude, greater than `largest` for magnitudes that are too large.
llvm::Value* nearest_code(Builder& b, const Words& w, const SmallFloat& f, llvm::Value* magnitude) {
  const int dropped = 23 - f.mantissa_bits;
  const uint32_t step = static_cast<uint32_t>(128 - f.bias + dropped) << 23;
  // Adding a float whose last digit is the smallest step rounds subnormals.
  llvm::Value* shifted = b.CreateFAdd(w.float_of(magnitude), w.float_of(w.number(step)));
  llvm::Value* subnormal = b.CreateSub(w.bits_of(shifted), w.number(step));
  llvm::Value* odd = b.CreateAnd(b.CreateLShr(magnitude, static_cast<uint64_t>(dropped)), w.number(1));
  llvm::Value* rounded = b.CreateAdd(b.CreateAdd(magnitude, odd), w.number((1u << (dropped - 1)) - 1));
  llvm::Value* normal = b.CreateSub(b.CreateLShr(rounded, static_cast<uint64_t>(dropped)),
                                    w.number(static_cast<uint32_t>(127 - f.bias) << f.mantissa_bits));
  llvm::Value* is_subnormal = b.CreateICmpULT(magnitude, w.number(static_cast<uint32_t>(128 - f.bias) << 23));
  return b.CreateSelect(is_subnormal, subnormal, normal);
}

}  // namespace

llvm::Value* float_of_halves(Builder& b, llvm::Value* codes) {
  constexpr uint32_t kSign = 0x8000u, kInfinite = 0x7c00u, kNormal = 0x400u, kSmallest = 0x33800000u;  // 2 ** -24
  constexpr uint32_t kBiasDifference = 112u << 23;
  constexpr uint64_t kDropped = 13;  // bits of the mantissa
  const Words w(b, codes);
  llvm::Value* wide = b.CreateZExt(codes, w.word);
  llvm::Value* sign = b.CreateShl(b.CreateAnd(wide, w.number(kSign)), 16);
  llvm::Value* magnitude = b.CreateAnd(wide, w.number(kSign - 1));
  llvm::Value* normal = b.CreateAdd(b.CreateShl(magnitude, kDropped), w.number(kBiasDifference));
  // The exponent of infinity and NaN is the greatest of either format.
  llvm::Value* infinite = b.CreateAdd(normal, w.number(kBiasDifference));
  llvm::Value* steps = b.CreateSIToFP(magnitude, with_lanes_of(b.getFloatTy(), w.word));
  llvm::Value* subnormal = w.bits_of(b.CreateFMul(steps, w.float_of(w.number(kSmallest))));
  llvm::Value* bits = b.CreateSelect(b.CreateICmpULT(magnitude, w.number(kNormal)), subnormal, normal);
  bits = b.CreateSelect(b.CreateICmpUGE(magnitude, w.number(kInfinite)), infinite, bits);
  return w.float_of(b.CreateOr(bits, sign));
}

llvm::Value* float_of_codes(Builder& b, llvm::Value* codes, DType dtype) {
  if (dtype.code == TypeCode::Float8E8M0FNU) return float_of_powers(b, codes);
  const SmallFloat& f = small_float_layout(dtype);
  const Words w(b, codes);
  llvm::Value* wide = b.CreateZExt(codes, w.word);
  llvm::Value* sign = b.CreateAnd(wide, w.number(f.sign()));
  llvm::Value* magnitude = b.CreateAnd(wide, w.number(f.sign() - 1u));
  llvm::Value* normal = b.CreateAdd(b.CreateShl(magnitude, static_cast<uint64_t>(23 - f.mantissa_bits)),
                                    w.number(static_cast<uint32_t>(127 - f.bias) << 23));
  // A subnormal is the code times the smallest positive number.
  llvm::Value* steps = b.CreateUIToFP(magnitude, with_lanes_of(b.getFloatTy(), w.word));
  llvm::Value* smallest = w.float_of(w.number(static_cast<uint32_t>(128 - f.bias - f.mantissa_bits) << 23));
  llvm::Value* is_subnormal = b.CreateICmpULT(magnitude, w.number(1u << f.mantissa_bits));
  llvm::Value* bits = b.CreateSelect(is_subnormal, w.bits_of(b.CreateFMul(steps, smallest)), normal);
  if (!f.has_negative_zero) {
    bits = b.CreateSelect(b.CreateICmpEQ(magnitude, w.number(0)),
                          b.CreateSelect(b.CreateICmpNE(sign, w.number(0)), w.number(kQuietNan), w.number(0)), bits);
  } else if (f.largest < f.sign() - 1u) {
    bits = b.CreateSelect(b.CreateICmpUGT(magnitude, w.number(f.largest)), w.number(kQuietNan), bits);
    if (f.overflow != f.largest)
      bits = b.CreateSelect(b.CreateICmpEQ(magnitude, w.number(f.overflow)), w.number(kInfinity), bits);
  }
  const auto to_top = static_cast<uint64_t>(31 - f.exponent_bits - f.mantissa_bits);
  return w.float_of(b.CreateOr(bits, b.CreateShl(sign, to_top)));
}

llvm::Value* codes_of_float(Builder& b, llvm::Value* value, DType dtype) {
  if (dtype.code == TypeCode::Float8E8M0FNU) return powers_of_float(b, value);
  const SmallFloat& f = small_float_layout(dtype);
  const Words w(b, value);
  llvm::Value* bits = w.bits_of(value);
  llvm::Value* magnitude = b.CreateAnd(bits, w.number(0x7fffffffu));
  const auto from_top = static_cast<uint64_t>(31 - f.exponent_bits - f.mantissa_bits);
  llvm::Value* sign = b.CreateAnd(b.CreateLShr(bits, from_top), w.number(f.sign()));
  llvm::Value* code = nearest_code(b, w, f, magnitude);
  code = b.CreateSelect(b.CreateICmpUGT(code, w.number(f.largest)), w.number(f.overflow), code);
  llvm::Value* is_nan = b.CreateICmpUGT(magnitude, w.number(kInfinity));
  if (f.has_signed_nan) code = b.CreateSelect(is_nan, w.number(f.nan), code);
  if (!f.has_negative_zero) sign = b.CreateSelect(b.CreateICmpEQ(code, w.number(0)), w.number(0), sign);
  code = b.CreateOr(code, sign);
  return w.narrow(f.has_signed_nan ? code : b.CreateSelect(is_nan, w.number(f.nan), code));
}

}  // namespace sunmao::llvm_codegen
