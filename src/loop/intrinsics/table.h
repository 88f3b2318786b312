// The table of scalar intrinsics: functions of numbers that loop IR calls by name (`T.exp(x)`, `T.bitwise_and(a, b)`),
// which all parts of the compiler ask. Not in it: what has effects, and choices that leave operands uncomputed.
#pragma once
#include <span>
#include <string_view>

#include "loop/intrinsics/floats.h"

namespace sunmao {

/// Which numbers an intrinsic takes.
enum class Operands : uint8_t { Floats, Integers, Numbers, Bools };

struct Intrinsic {
  std::string_view name;
  size_t arity = 1;
  Operands operands = Operands::Floats;
  /// A bool: one for each lane, or one for all lanes.
  enum class Result : uint8_t { OfOperands, Bool, OneBool } result = Result::OfOperands;
  /// A result of floats is an operand, possibly with another sign, or a neighbouring integer.
  bool is_exact = false;

  /// The greatest error in spacings of the true result, at least those of normal numbers; 0: rounded as IEEE 754 says.
  /// Results of narrower floats are those of float32, rounded.
  struct Bound {
    double float32 = 0, float64 = 0;
    bool may_flush = false;  // results below the normal numbers may be 0
  } bound = {};

  /// The evaluator's functions: of floats as float64, and of integers of a dtype; null where there is none.
  double (*of_floats)(const double* x) = nullptr;
  int64_t (*of_integers)(DType dtype, const int64_t* x) = nullptr;

  /// Arithmetic for float32 and float64, on leaves; null where a back end has an instruction.
  Scalar (*expansion)(const intrinsics::Floats& f, std::span<const Scalar> x) = nullptr;
};

std::span<const Intrinsic> all_intrinsics();
/// Returns the record of this name; null when there is none.
const Intrinsic* find_intrinsic(std::string_view name);
/// Returns the record of a call whose operands have the dtypes that its intrinsic takes; null for other calls.
const Intrinsic* find_intrinsic(const ScalarCall& call);

/// Returns the call as arithmetic; null when it stays, as an instruction of the back end.
Scalar expand_intrinsic(const ScalarCall& call, bool has_fma);

/// True when `value` calls a function that its expansion turns into many instructions.
bool is_expensive(const Scalar& value);

}  // namespace sunmao
