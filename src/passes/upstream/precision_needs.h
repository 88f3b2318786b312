// to-mixed-precision: a backward analysis of the precision in which the uses of each variable need it.
#pragma once
#include <unordered_map>

#include "ir/expr.h"

namespace sunmao {

/// True when the constant is of float16, or of float32 without magnitudes above 65504, the largest float16.
bool fits_half(const Constant& constant);
/// True when all operands and results have known dtypes, their floats are float16 or float32, and `fits_half` holds for
/// float constants among the arguments.
bool can_compute_on_halves(const Call& call);

/// The precision that the uses of a tensor need; for a tuple, of each field.
struct PrecisionNeed {
  enum class Kind : uint8_t { Nothing, Half, Full };
  Kind kind = Kind::Nothing;
  std::vector<PrecisionNeed> fields = {};
};

using PrecisionNeeds = std::unordered_map<Ref<Var>, PrecisionNeed>;
PrecisionNeeds precision_needs(const Function& function);

}  // namespace sunmao
