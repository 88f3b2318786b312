// Intrinsics: the calls that loop IR may make. Each becomes instructions; nothing becomes a call of a library.
#include <llvm/IR/Intrinsics.h>

#include <array>

#include "codegen/llvm/kernel_emitter.h"
#include "support/diagnostic.h"

namespace sunmao::llvm_codegen {
namespace {

struct ExpConstants {
  double log2e, ln2_high, ln2_low;
  double lowest, highest;  // beyond these the result is 0 or infinity
  double magic;            // 1.5 * 2^mantissa: adding it rounds to an integer
  int bias, mantissa_bits;
};
constexpr ExpConstants kExpFloat{
    1.4426950408889634, 0.693359375, -2.12194440054690583e-4, -104.0, 89.0, 12582912.0, 127, 23};
constexpr ExpConstants kExpDouble{
    1.4426950408889634, 0.6931471803691238, 1.9082149292705877e-10, -746.0, 710.0, 6755399441055744.0, 1023, 52};
// Terms of the exponential series; on |r| <= ln(2) / 2 the next one is below half a unit in the last place.
constexpr int kExpFloatTerms = 7, kExpDoubleTerms = 13;

bool is_float_call(const ScalarCall& call, size_t count) {
  return call.args.size() == count && call.dtype.is_float() &&
         std::ranges::all_of(call.args, [&](const Scalar& a) { return a->dtype == call.dtype; });
}

}  // namespace

// exp(x) = 2^n * exp(r), n the nearest integer to x / ln 2. The scale goes in two steps, so that results near both
// ends of the range (denormals included) are exact.
llvm::Value* KernelEmitter::emit_exp(llvm::Value* x, DType dtype) {
  const bool is_double = dtype.bits == 64;
  const ExpConstants& c = is_double ? kExpDouble : kExpFloat;
  llvm::Type* type = x->getType();
  llvm::Type* word = with_lanes_of(is_double ? b_.getInt64Ty() : b_.getInt32Ty(), type);
  auto number = [&](double v) { return llvm::ConstantFP::get(type, v); };
  auto integer = [&](int64_t v) { return llvm::ConstantInt::get(word, static_cast<uint64_t>(v), true); };
  // Comparisons that NaN fails: it passes through.
  llvm::Value* clamped = b_.CreateSelect(b_.CreateFCmpOGT(x, number(c.highest)), number(c.highest), x);
  clamped = b_.CreateSelect(b_.CreateFCmpOLT(clamped, number(c.lowest)), number(c.lowest), clamped);
  llvm::Value* shifted = b_.CreateFAdd(b_.CreateFMul(clamped, number(c.log2e)), number(c.magic));
  llvm::Value* n = b_.CreateFSub(shifted, number(c.magic));
  llvm::Value* exponent = b_.CreateSub(b_.CreateBitCast(shifted, word), b_.CreateBitCast(number(c.magic), word));
  llvm::Value* r = b_.CreateFSub(clamped, b_.CreateFMul(n, number(c.ln2_high)));
  r = b_.CreateFSub(r, b_.CreateFMul(n, number(c.ln2_low)));
  const int terms = is_double ? kExpDoubleTerms : kExpFloatTerms;
  double factorial = 1;
  for (int i = 2; i <= terms; ++i) factorial *= i;
  llvm::Value* sum = number(1.0 / factorial);
  for (int i = terms; i >= 1; --i) {
    factorial /= i;
    sum = b_.CreateFAdd(b_.CreateFMul(sum, r), number(1.0 / factorial));
  }
  auto power_of_two = [&](llvm::Value* e) {
    return b_.CreateBitCast(b_.CreateShl(b_.CreateAdd(e, integer(c.bias)), static_cast<uint64_t>(c.mantissa_bits)),
                            type);
  };
  llvm::Value* half = b_.CreateAShr(exponent, 1);
  return b_.CreateFMul(b_.CreateFMul(sum, power_of_two(half)), power_of_two(b_.CreateSub(exponent, half)));
}

llvm::Value* KernelEmitter::emit_call(const ScalarCall& call) {
  using llvm::Intrinsic::ID;
  static constexpr std::array<std::pair<const char*, ID>, 5> kRounding{{{"sqrt", llvm::Intrinsic::sqrt},
                                                                        {"fabs", llvm::Intrinsic::fabs},
                                                                        {"floor", llvm::Intrinsic::floor},
                                                                        {"ceil", llvm::Intrinsic::ceil},
                                                                        {"trunc", llvm::Intrinsic::trunc}}};
  const std::string& name = call.name;
  if (is_float_call(call, 1)) {
    llvm::Value* x = emit(call.args[0]);
    for (auto [known, id] : kRounding)
      if (name == known) return b_.CreateUnaryIntrinsic(id, x);
    if (name == "abs") return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    if (name == "exp") return emit_exp(x, call.dtype);
    if (name == "nearbyint" || name == "round") return b_.CreateUnaryIntrinsic(llvm::Intrinsic::nearbyint, x);
    if (name == "rsqrt")
      return b_.CreateFDiv(llvm::ConstantFP::get(x->getType(), 1.0), b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x));
  }
  if (is_float_call(call, 3) && name == "fma") {
    llvm::Value *x = emit(call.args[0]), *y = emit(call.args[1]), *z = emit(call.args[2]);
    const ID id = state_.target.has("fma") ? llvm::Intrinsic::fma : llvm::Intrinsic::fmuladd;
    return b_.CreateIntrinsic(id, {x->getType()}, {x, y, z});
  }
  if (name == "abs" && call.args.size() == 1 && call.dtype.is_int())
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, emit(call.args[0]), b_.getFalse());
  if ((name == "max" || name == "min") && call.args.size() == 2) {
    llvm::Value* x = emit(call.args[0]);
    return emit_binary(b_, name == "max" ? BinaryOp::Max : BinaryOp::Min, x, emit(call.args[1]), call.dtype,
                       Wrap::Data);
  }
  if (name == "likely" && call.args.size() == 1) return emit(call.args[0]);
  if (name == "isnan" && call.args.size() == 1 && call.args[0]->dtype.is_float()) {
    llvm::Value* x = emit(call.args[0]);
    return b_.CreateFCmpUNO(x, x);
  }
  fail("E1004", call.span,
       fmt::format("code generation: kernel `{}` calls intrinsic `{}` on {}, which has no code", name_, name,
                   call.dtype.str()),
       "intrinsics with code are exp, sqrt, rsqrt, abs, floor, ceil, trunc, nearbyint, fma, max, min, isnan, "
       "if_then_else");
}

}  // namespace sunmao::llvm_codegen
