#include "codegen/llvm/elementary.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace sunmao::llvm_codegen {
namespace {

constexpr double kLn2 = std::numbers::ln2, kPi = std::numbers::pi;

struct Format {
  int bias, mantissa_bits;
  double ln2_high, ln2_low;  // ln 2 in two parts; the product of the first with an exponent is exact
  double lowest, highest;    // exp is 0 below and infinity above
  double magic;              // 1.5 * 2^mantissa_bits: adding it rounds to an integer
  double least_normal, scale;
  int scale_bits;
  int exp_terms, log_terms, exp_less_one_terms;
};
constexpr Format kFloat{
    127, 23, 0.693359375, -2.12194440054690583e-4, -104.0, 89.0, 12582912.0, 0x1p-126, 0x1p25, 25, 7, 5, 8};
constexpr Format kDouble{
    1023, 52, 0.6931471803691238, 1.9082149292705877e-10, -746.0, 710.0, 6755399441055744.0, 0x1p-1022, 0x1p54, 54, 13,
    11,   14};

// A quarter turn in parts of 25 bits, whose product with an integer of up to 28 bits is exact.
constexpr std::array<double, 4> kQuarterTurn{0x1.921fb50000000p+0, 0x1.110b460000000p-26, 0x1.1a62630000000p-54,
                                             0x1.8a2e030000000p-81};

// erf(x) / x on [0, 3.95] as a rational function of x^2, fitted to a relative error of 2.2e-9.
constexpr std::array<double, 7> kErfAbove{1.1283791695531293,     0.18510746424819197,    0.05431448008401873,
                                          0.003847165344615071,   0.00037998309589199673, 4.696012569742727e-06,
                                          -1.3248414805709605e-08};
constexpr std::array<double, 6> kErfBelow{
    1.0, 0.4973806380063316, 0.11392794725509571, 0.015458310798344806, 0.0013076027528297351, 6.322111938404652e-05};

// Returns 1 / first!, 1 / (first + step)!, …, with alternating signs if `alternate`.
std::vector<double> factorials(int first, int step, int count, bool alternate) {
  std::vector<double> out;
  double value = 1;
  int at = 0;
  for (int i = 0; i < count; ++i) {
    for (; at < first + i * step; ++at) value /= at + 1;
    out.push_back(alternate && i % 2 ? -value : value);
  }
  return out;
}

}  // namespace

Elementary::Elementary(Builder& b, llvm::Type* type, Features features)
    : b_(b), type_(type),
      word_(with_lanes_of(type->getScalarType()->isDoubleTy() ? b.getInt64Ty() : b.getInt32Ty(), type)),
      is_double_(type->getScalarType()->isDoubleTy()), features_(features) {}

llvm::Value* Elementary::number(double v) const { return llvm::ConstantFP::get(type_, v); }
llvm::Value* Elementary::magnitude(Value x) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }
llvm::Value* Elementary::with_sign(Value x, Value sign) {
  return b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, x, sign);
}
llvm::Value* Elementary::root(Value x) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x); }
llvm::Value* Elementary::whole(Value x) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, x); }
llvm::Value* Elementary::nearest(Value x) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::nearbyint, x); }

llvm::Value* Elementary::polynomial(std::span<const double> c, Value t) {
  Value sum = number(c.back());
  for (size_t i = c.size() - 1; i-- > 0;) sum = add(mul(sum, t), number(c[i]));
  return sum;
}

llvm::Value* Elementary::wide(std::string_view name, Value x) {
  llvm::Type* type = with_lanes_of(b_.getDoubleTy(), type_);
  return b_.CreateFPTrunc(Elementary(b_, type, features_).call(name, b_.CreateFPExt(x, type)), type_);
}
llvm::Value* Elementary::wide(std::string_view name, Value x, Value y) {
  llvm::Type* type = with_lanes_of(b_.getDoubleTy(), type_);
  Elementary in_double(b_, type, features_);
  in_double.is_narrow_ = true;
  return b_.CreateFPTrunc(in_double.call(name, b_.CreateFPExt(x, type), b_.CreateFPExt(y, type)), type_);
}

llvm::Value* Elementary::call(std::string_view name, Value x) {
  if (name == "exp") return exp(x);
  if (name == "log") return log(x);
  if (name == "log1p") return log_of_one_more(x);
  if (name == "tanh") return tanh(x);
  if (name == "sigmoid") return sigmoid(x);
  if (name == "erf" && !is_double_) return erf_float(x);
  static constexpr std::array<std::string_view, 16> kWide{"erf",  "sin",  "cos",   "tan",   "sinh",  "cosh",
                                                          "asin", "acos", "atan",  "asinh", "acosh", "atanh",
                                                          "exp2", "log2", "log10", "exp10"};
  if (!is_double_) return std::ranges::find(kWide, name) == kWide.end() ? nullptr : wide(name, x);
  if (name == "erf") return erf(x);
  if (name == "sin") return circular(x, 0);
  if (name == "cos") return circular(x, 1);
  if (name == "tan") return div(circular(x, 0), circular(x, 1));
  if (name == "sinh") return sinh(x);
  if (name == "cosh") return cosh(x);
  if (name == "asinh") return asinh(x);
  if (name == "acosh") return acosh(x);
  if (name == "atanh") return atanh(x);
  if (name == "atan") return atan(x);
  if (name == "exp2") return exp2(x);
  if (name == "exp10") return exp(mul(x, number(std::numbers::ln10)));
  if (name == "log2") return div(log(x), number(kLn2));
  if (name == "log10") return div(log(x), number(std::numbers::ln10));
  // In asin and acos, the factors 1 - x and 1 + x avoid cancellation near 1 and -1.
  const Value one = number(1);
  if (name == "asin") return atan(div(x, root(mul(sub(one, x), add(one, x)))));
  if (name == "acos") return mul(number(2), atan(root(div(sub(one, x), add(one, x)))));
  return nullptr;
}

llvm::Value* Elementary::call(std::string_view name, Value x, Value y) {
  if (name == "copysign") return with_sign(x, y);
  if (name == "hypot" || name == "pow" || name == "power" || name == "atan2" || name == "fmod") {
    if (!is_double_) return wide(name, x, y);
    if (name == "hypot") return hypot(x, y);
    if (name == "atan2") return atan2(x, y);
    if (name == "fmod") return features_.fma || is_narrow_ ? remainder(x, y) : nullptr;
    return power(x, y);
  }
  return nullptr;
}

// Returns x * 2^n, for whole numbers n as floats, by one instruction.
llvm::Value* Elementary::scaled(Value x, Value n) {
  const auto id =
      is_double_ ? llvm::Intrinsic::x86_avx512_mask_scalef_pd_512 : llvm::Intrinsic::x86_avx512_mask_scalef_ps_512;
  constexpr uint32_t kCurrentRounding = 4;
  const Value all = llvm::ConstantInt::getAllOnesValue(b_.getIntNTy(is_double_ ? 8 : 16));
  return b_.CreateIntrinsic(id, {}, {x, n, llvm::PoisonValue::get(type_), all, b_.getInt32(kCurrentRounding)});
}

// Returns 2^n exp(r), where n is `shifted` minus the magic number. Scaling in two steps avoids factors out of range.
llvm::Value* Elementary::scaled_exp(Value shifted, Value r) {
  const Format& c = is_double_ ? kDouble : kFloat;
  auto integer = [&](int64_t v) { return llvm::ConstantInt::get(word_, static_cast<uint64_t>(v), true); };
  const bool fills_register = type_->isVectorTy() && type_->getPrimitiveSizeInBits().getFixedValue() == 512;
  if (features_.avx512 && fills_register)
    return scaled(polynomial(factorials(0, 1, c.exp_terms + 1, false), r), sub(shifted, number(c.magic)));
  const Value exponent = b_.CreateSub(b_.CreateBitCast(shifted, word_), b_.CreateBitCast(number(c.magic), word_));
  const Value sum = polynomial(factorials(0, 1, c.exp_terms + 1, false), r);
  auto power_of_two = [&](Value e) {
    return b_.CreateBitCast(b_.CreateShl(b_.CreateAdd(e, integer(c.bias)), static_cast<uint64_t>(c.mantissa_bits)),
                            type_);
  };
  const Value half = b_.CreateAShr(exponent, 1);
  return mul(mul(sum, power_of_two(half)), power_of_two(b_.CreateSub(exponent, half)));
}

// Clamps x to [lowest, highest]; NaN is returned unchanged, because comparisons with it are false.
llvm::Value* Elementary::clamp(Value x, double lowest, double highest) {
  const Value not_above = choose(above(x, highest), number(highest), x);
  return choose(below(not_above, lowest), number(lowest), not_above);
}

// exp(x) = 2^n * exp(r), where n is the nearest integer to x / ln 2.
llvm::Value* Elementary::exp(Value x) {
  const Format& c = is_double_ ? kDouble : kFloat;
  const Value clamped = clamp(x, c.lowest, c.highest);
  const Value shifted = add(mul(clamped, number(std::numbers::log2e)), number(c.magic));
  const Value n = sub(shifted, number(c.magic));
  return scaled_exp(shifted, sub(sub(clamped, mul(n, number(c.ln2_high))), mul(n, number(c.ln2_low))));
}

// 2^x = 2^n * exp((x - n) ln 2), where n is the nearest integer.
llvm::Value* Elementary::exp2(Value x) {
  const Format& c = is_double_ ? kDouble : kFloat;
  const Value clamped = clamp(x, c.lowest / kLn2, c.highest / kLn2);
  const Value shifted = add(clamped, number(c.magic));
  return scaled_exp(shifted, mul(sub(clamped, sub(shifted, number(c.magic))), number(kLn2)));
}

// exp(x) - 1. Near 0 it is the power series without its constant term, since the subtraction would cancel.
llvm::Value* Elementary::exp_less_one(Value x) {
  const Format& c = is_double_ ? kDouble : kFloat;
  const Value series = mul(x, polynomial(factorials(1, 1, c.exp_less_one_terms, false), x));
  return choose(below(magnitude(x), 0.35), series, sub(exp(x), number(1)));
}

// log(x) = k ln 2 + log(m), m in [sqrt(1/2), sqrt(2)); log(m) = 2 atanh(s), s = (m - 1) / (m + 1).
llvm::Value* Elementary::log(Value x) {
  const Format& c = is_double_ ? kDouble : kFloat;
  const Value is_tiny = below(x, c.least_normal);
  const Value scaled = choose(is_tiny, mul(x, number(c.scale)), x);
  const Value root_half = b_.CreateBitCast(number(std::numbers::sqrt2 / 2), word_);
  const Value bits = b_.CreateSub(b_.CreateBitCast(scaled, word_), root_half);
  const auto mantissa = static_cast<uint64_t>(c.mantissa_bits);
  const Value fraction = b_.CreateAnd(bits, llvm::ConstantInt::get(word_, (uint64_t{1} << mantissa) - 1));
  Value k = b_.CreateSIToFP(b_.CreateAShr(bits, mantissa), type_);
  k = choose(is_tiny, sub(k, number(c.scale_bits)), k);
  const Value f = sub(b_.CreateBitCast(b_.CreateAdd(fraction, root_half), type_), number(1));
  const Value s = div(f, add(number(2), f)), z = mul(s, s);
  std::vector<double> series;
  for (int i = 0; i < c.log_terms; ++i) series.push_back(2.0 / (2 * i + 3));
  const Value rest = mul(mul(s, z), polynomial(series, z));
  Value result = add(mul(k, number(c.ln2_high)), add(add(s, s), add(rest, mul(k, number(c.ln2_low)))));
  const double infinity = std::numeric_limits<double>::infinity();
  result = choose(equals(x, infinity), x, result);
  result = choose(equals(x, 0), number(-infinity), result);
  // The logarithm of negative numbers and of NaN is NaN.
  return choose(b_.CreateFCmpUGE(x, number(0)), choose(b_.CreateFCmpUNO(x, x), x, result), number(std::nan("")));
}

// log(1 + x), with a correction for the rounding error of 1 + x.
llvm::Value* Elementary::log_of_one_more(Value x) {
  const Value w = add(number(1), x), plain = log(w);
  const Value lost = div(sub(x, sub(w, number(1))), w);
  const Value is_end = b_.CreateOr(equals(w, 0), equals(w, std::numeric_limits<double>::infinity()));
  return with_sign(choose(is_end, plain, add(plain, lost)), x);
}

llvm::Value* Elementary::tanh(Value x) {
  const Value size = magnitude(x), limit = number(20);
  const Value e = exp_less_one(mul(number(2), choose(b_.CreateFCmpOGT(size, limit), limit, size)));
  return with_sign(div(e, add(e, number(2))), x);
}

llvm::Value* Elementary::sigmoid(Value x) { return div(number(1), add(number(1), exp(b_.CreateFNeg(x)))); }

llvm::Value* Elementary::erf_float(Value x) {
  const Value size = magnitude(x), limit = number(3.95);
  const Value t = choose(b_.CreateFCmpOGT(size, limit), limit, size), square = mul(t, t);
  const Value near = div(mul(t, polynomial(kErfAbove, square)), polynomial(kErfBelow, square));
  return with_sign(choose(above(size, 3.92), number(1), near), x);
}

// erf(x) = 2 / sqrt(pi) x exp(-x^2) (1 + 2x^2 / 3 + (2x^2)^2 / (3 5) + …); all terms are positive, so nothing cancels.
llvm::Value* Elementary::erf(Value x) {
  constexpr int kTerms = 130;
  const Value size = magnitude(x), limit = number(6);
  const Value t = choose(b_.CreateFCmpOGT(size, limit), limit, size), square = mul(t, t), z = mul(number(2), square);
  Value sum = number(1);
  for (int i = kTerms; i > 0; --i) sum = add(number(1), mul(sum, mul(z, number(1.0 / (2 * i + 1)))));
  const Value near = mul(mul(mul(number(2 * std::numbers::inv_sqrtpi), t), exp(b_.CreateFNeg(square))), sum);
  return with_sign(choose(above(size, 5.95), number(1), near), x);
}

llvm::Value* Elementary::sinh(Value x) {
  const Value size = magnitude(x), e = exp_less_one(size), half = exp(mul(number(0.5), size));
  const Value near = mul(number(0.5), add(e, div(e, add(e, number(1)))));
  return with_sign(choose(above(size, 700), mul(mul(number(0.5), half), half), near), x);
}
llvm::Value* Elementary::cosh(Value x) {
  const Value size = magnitude(x), e = exp(size), half = exp(mul(number(0.5), size));
  const Value near = mul(number(0.5), add(e, div(number(1), e)));
  return choose(above(size, 700), mul(mul(number(0.5), half), half), near);
}

llvm::Value* Elementary::asinh(Value x) {
  const Value size = magnitude(x), square = mul(size, size);
  const Value near = log_of_one_more(add(size, div(square, add(number(1), root(add(number(1), square))))));
  return with_sign(choose(above(size, 1e150), add(log(size), number(kLn2)), near), x);
}
llvm::Value* Elementary::acosh(Value x) {
  const Value over = sub(x, number(1));
  const Value near = log_of_one_more(add(over, root(mul(over, add(x, number(1))))));
  const Value known = choose(above(x, 1e150), add(log(x), number(kLn2)), near);
  return choose(below(x, 1), number(std::nan("")), known);
}
llvm::Value* Elementary::atanh(Value x) {
  const Value size = magnitude(x);
  const Value twice = div(mul(number(2), size), sub(number(1), size));
  return with_sign(mul(number(0.5), log_of_one_more(twice)), x);
}

// sin or cos of x = n * pi / 2 + r with |r| <= pi / 4: n selects sin(r) or cos(r), and the sign.
llvm::Value* Elementary::circular(Value x, int quarter) {
  const Value n = nearest(mul(x, number(2 / kPi)));
  Value r = x;
  for (double part : kQuarterTurn) r = sub(r, mul(n, number(part)));
  // For huge x the argument reduction has no valid digits, so its result r is clamped.
  r = choose(above(r, 1), number(1), choose(below(r, -1), number(-1), r));
  const Value z = mul(r, r);
  const Value sine = mul(r, polynomial(factorials(1, 2, 9, true), z));
  const Value cosine = polynomial(factorials(0, 2, 10, true), z);
  // n modulo 4 in floating point, since a conversion to integer could overflow.
  const Value place = add(n, number(quarter));
  const Value fourth =
      sub(place, mul(number(4), b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, mul(place, number(0.25)))));
  const Value is_odd = b_.CreateOr(equals(fourth, 1), equals(fourth, 3));
  const Value known = choose(is_odd, cosine, sine);
  const Value turned = choose(above(fourth, 1.5), b_.CreateFNeg(known), known);
  return quarter == 0 ? choose(equals(x, 0), x, turned) : turned;
}

// atan(x) = pi / 2 - atan(1 / x) for x > 1; then the nearest of the angles 0, pi / 8 and pi / 4 is subtracted.
llvm::Value* Elementary::atan(Value x) {
  const Value size = magnitude(x), is_big = above(size, 1);
  const Value y = choose(is_big, div(number(1), size), size);
  constexpr double kEighth = 0.4142135623730950488;  // tan(pi / 8)
  const Value is_high = above(y, 0.66817863791929892), is_middle = above(y, 0.19891236737965801);
  const Value c = choose(is_high, number(1), choose(is_middle, number(kEighth), number(0)));
  const Value base = choose(is_high, number(kPi / 4), choose(is_middle, number(kPi / 8), number(0)));
  const Value t = div(sub(y, c), add(number(1), mul(y, c)));
  std::vector<double> series;
  for (int i = 0; i < 13; ++i) series.push_back((i % 2 ? -1.0 : 1.0) / (2 * i + 1));
  const Value angle = add(base, mul(t, polynomial(series, mul(t, t))));
  return with_sign(choose(is_big, sub(number(kPi / 2), angle), angle), x);
}

llvm::Value* Elementary::atan2(Value y, Value x) {
  const Value high = magnitude(y), far = magnitude(x);
  const Value is_origin = b_.CreateAnd(equals(high, 0), equals(far, 0));
  const double infinity = std::numeric_limits<double>::infinity();
  const Value is_corner = b_.CreateAnd(equals(high, infinity), equals(far, infinity));
  Value ratio = choose(is_origin, number(0), div(high, far));
  ratio = choose(is_corner, number(1), ratio);
  const Value angle = atan(ratio);
  const Value is_left = below(with_sign(number(1), x), 0);
  const Value turned = choose(is_left, sub(number(kPi), angle), angle);
  const Value is_nan = b_.CreateFCmpUNO(x, y);
  return choose(is_nan, number(std::nan("")), with_sign(turned, y));
}

// hypot factors out the larger operand, so that squares do not overflow. If one operand is infinite, the result is,
// even with NaN.
llvm::Value* Elementary::hypot(Value x, Value y) {
  const Value a = magnitude(x), b = magnitude(y), is_first = b_.CreateFCmpOGT(a, b);
  const Value large = choose(is_first, a, b), small = choose(is_first, b, a);
  const Value ratio = div(small, choose(equals(large, 0), number(1), large));
  const Value length = mul(large, root(add(number(1), mul(ratio, ratio))));
  const double infinity = std::numeric_limits<double>::infinity();
  return choose(b_.CreateOr(equals(a, infinity), equals(b, infinity)), number(infinity), length);
}

llvm::Value* Elementary::power(Value x, Value y) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Value size = magnitude(x), result = exp(mul(y, log(size)));
  const Value is_whole = b_.CreateFCmpOEQ(whole(y), y), half = mul(y, number(0.5));
  const Value is_odd = b_.CreateAnd(is_whole, b_.CreateFCmpONE(whole(half), half));
  const Value is_negative = below(with_sign(number(1), x), 0);
  Value out = choose(b_.CreateAnd(is_negative, is_odd), b_.CreateFNeg(result), result);
  const Value has_none =
      b_.CreateAnd(b_.CreateAnd(below(x, 0), b_.CreateNot(is_whole)), b_.CreateFCmpONE(size, number(infinity)));
  out = choose(has_none, number(std::nan("")), out);
  const Value is_unit = b_.CreateAnd(equals(size, 1), equals(magnitude(y), infinity));
  return choose(b_.CreateOr(b_.CreateOr(equals(y, 0), equals(x, 1)), is_unit), number(1), out);
}

// fmod(x, y): subtracts multiples of |y| from |x| until the rest is less than |y|. A rounded quotient may make the
// rest negative: then its magnitude is used, and `turned` records the sign.
llvm::Value* Elementary::remainder(Value x, Value y) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Value size = magnitude(x), by = magnitude(y);
  const Value is_defined = b_.CreateAnd(b_.CreateFCmpONE(size, number(infinity)), above(by, 0));
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::Function* function = before->getParent();
  llvm::BasicBlock* loop = llvm::BasicBlock::Create(b_.getContext(), "remainder", function);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(b_.getContext(), "remainder_end", function);
  const Value start = choose(is_defined, size, number(0));
  b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  llvm::PHINode *left = b_.CreatePHI(type_, 2), *turned = b_.CreatePHI(is_defined->getType(), 2);
  left->addIncoming(start, before);
  turned->addIncoming(llvm::Constant::getNullValue(is_defined->getType()), before);
  // If the quotient overflows, fmod first subtracts a multiple of y.
  const Value step = choose(equals(div(left, by), infinity), mul(by, number(0x1p600)), by);
  const Value rest = rest_of(left, step, whole(div(left, step)));
  const Value is_over = b_.CreateFCmpOGE(left, by);
  const Value next = choose(is_over, magnitude(rest), left);
  const Value flips = b_.CreateXor(turned, b_.CreateAnd(is_over, below(rest, 0)));
  const Value goes_on = b_.CreateFCmpOGE(next, by);
  left->addIncoming(next, loop);
  turned->addIncoming(flips, loop);
  b_.CreateCondBr(type_->isVectorTy() ? b_.CreateOrReduce(goes_on) : goes_on, loop, after);
  b_.SetInsertPoint(after);
  const Value counted = choose(b_.CreateAnd(flips, above(next, 0)), sub(by, next), next);
  const Value is_number = b_.CreateAnd(is_defined, b_.CreateFCmpORD(x, y));
  return choose(is_number, with_sign(counted, x), number(std::nan("")));
}

// Returns left - q * step without rounding error, where q is `quotient` or, if `is_narrow_`, its leading bits.
llvm::Value* Elementary::rest_of(Value left, Value step, Value quotient) {
  if (!is_narrow_) return b_.CreateIntrinsic(llvm::Intrinsic::fma, {type_}, {b_.CreateFNeg(quotient), step, left});
  // The product of a float32 value and the leading 29 bits of the quotient is exact in float64.
  const Value leading = llvm::ConstantInt::get(word_, ~((uint64_t{1} << 24) - 1));
  const Value cut = b_.CreateBitCast(b_.CreateAnd(b_.CreateBitCast(quotient, word_), leading), type_);
  return sub(left, mul(cut, step));
}

}  // namespace sunmao::llvm_codegen
