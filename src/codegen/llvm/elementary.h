// Elementary functions as instructions, on a float32 or float64 or a vector of them: exp, log, the circular and the
// hyperbolic ones, powers. Within a few units in the last place of what the C library gives, NaN, infinities and signed
// zeros as there. Circular functions are exact in their reduction up to 2^28 quarter turns.
#pragma once
#include <span>
#include <string_view>

#include "codegen/llvm/types.h"

namespace sunmao::llvm_codegen {

class Elementary {
 public:
  /// `type`: what the functions are of. Without `has_fma` the remainder of float64 has no code.
  Elementary(Builder& b, llvm::Type* type, bool has_fma);

  /// The function of this name, as intrinsics of the loop level are called; null when there is none.
  llvm::Value* call(std::string_view name, llvm::Value* x);
  llvm::Value* call(std::string_view name, llvm::Value* x, llvm::Value* y);

 private:
  using Value = llvm::Value*;
  Value number(double v) const;
  Value add(Value x, Value y) { return b_.CreateFAdd(x, y); }
  Value sub(Value x, Value y) { return b_.CreateFSub(x, y); }
  Value mul(Value x, Value y) { return b_.CreateFMul(x, y); }
  Value div(Value x, Value y) { return b_.CreateFDiv(x, y); }
  Value magnitude(Value x);
  Value with_sign(Value x, Value sign);
  Value root(Value x);
  Value whole(Value x);    // towards zero
  Value nearest(Value x);  // halves to even
  Value choose(Value condition, Value yes, Value no) { return b_.CreateSelect(condition, yes, no); }
  Value below(Value x, double limit) { return b_.CreateFCmpOLT(x, number(limit)); }
  Value above(Value x, double limit) { return b_.CreateFCmpOGT(x, number(limit)); }
  Value equals(Value x, double v) { return b_.CreateFCmpOEQ(x, number(v)); }
  /// c[0] + c[1] t + c[2] t^2 …
  Value polynomial(std::span<const double> c, Value t);
  /// In float64, where this is float32.
  Value wide(std::string_view name, Value x);
  Value wide(std::string_view name, Value x, Value y);

  // Of either type.
  Value clamp(Value x, double lowest, double highest);
  Value scaled_exp(Value shifted, Value r);
  Value exp(Value x);
  Value exp_less_one(Value x);
  Value log(Value x);
  Value log_of_one_more(Value x);
  Value tanh(Value x);
  Value sigmoid(Value x);
  Value erf_float(Value x);
  // Of float64.
  Value exp2(Value x);
  Value erf(Value x);
  Value sinh(Value x);
  Value cosh(Value x);
  Value asinh(Value x);
  Value acosh(Value x);
  Value atanh(Value x);
  Value circular(Value x, int quarter);  // sine, and a quarter turn on: cosine
  Value atan(Value x);
  Value atan2(Value y, Value x);
  Value hypot(Value x, Value y);
  Value power(Value x, Value y);
  Value remainder(Value x, Value y);
  Value rest_of(Value left, Value step, Value quotient);

  Builder& b_;
  llvm::Type* const type_;
  llvm::Type* const word_;  // integers of the same width
  const bool is_double_, has_fma_;
  bool is_narrow_ = false;  // the values of float64 come from float32
};

}  // namespace sunmao::llvm_codegen
