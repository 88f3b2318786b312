// Elementary functions as LLVM instructions, on scalars or vectors of float32 or float64: exponential, logarithmic,
// circular and hyperbolic functions, their inverses, erf, powers and remainders, without library calls.
#pragma once
#include <span>
#include <string_view>

#include "codegen/llvm/types.h"

namespace sunmao::llvm_codegen {

class Elementary {
 public:
  /// What the target has. Without `fma`, fmod of float64 is not available.
  struct Features {
    bool fma, avx512;
  };
  /// `type` is the operand type.
  Elementary(Builder& b, llvm::Type* type, Features features);

  /// Emits the loop-level intrinsic of this name; null when it is not available.
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
  Value whole(Value x);    // rounds towards zero
  Value nearest(Value x);  // rounds to nearest, ties to even
  Value choose(Value condition, Value yes, Value no) { return b_.CreateSelect(condition, yes, no); }
  Value below(Value x, double limit) { return b_.CreateFCmpOLT(x, number(limit)); }
  Value above(Value x, double limit) { return b_.CreateFCmpOGT(x, number(limit)); }
  Value equals(Value x, double v) { return b_.CreateFCmpOEQ(x, number(v)); }
  /// Evaluates c[0] + c[1] t + c[2] t^2 + …
  Value polynomial(std::span<const double> c, Value t);
  /// Compute a float32 function in float64 and round the result.
  Value wide(std::string_view name, Value x);
  Value wide(std::string_view name, Value x, Value y);

  // The functions below are for float32 and float64, except erf_float, which is for float32 only.
  Value clamp(Value x, double lowest, double highest);
  Value scaled(Value x, Value n);
  Value scaled_exp(Value shifted, Value r);
  Value exp(Value x);
  Value exp_less_one(Value x);
  Value log(Value x);
  Value log_of_one_more(Value x);
  Value tanh(Value x);
  Value sigmoid(Value x);
  Value erf_float(Value x);
  // The functions below are for float64 only.
  Value exp2(Value x);
  Value erf(Value x);
  Value sinh(Value x);
  Value cosh(Value x);
  Value asinh(Value x);
  Value acosh(Value x);
  Value atanh(Value x);
  Value circular(Value x, int quarter);  // the sine of x + `quarter` quarter turns; 1: cosine
  Value atan(Value x);
  Value atan2(Value y, Value x);
  Value hypot(Value x, Value y);
  Value power(Value x, Value y);
  Value remainder(Value x, Value y);
  Value rest_of(Value left, Value step, Value quotient);

  Builder& b_;
  llvm::Type* const type_;
  llvm::Type* const word_;  // integer type of the same width and lanes
  const bool is_double_;
  const Features features_;
  bool is_narrow_ = false;  // the float64 operands were converted from float32
};

}  // namespace sunmao::llvm_codegen
