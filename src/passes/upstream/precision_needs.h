// How precisely the variables of a function are read: which of them halved products alone read.
#pragma once
#include <unordered_map>

#include "ir/expr.h"

namespace sunmao {

/// Whether the values are in the range of halves: their digits alone are lost.
bool fits_half(const Constant& constant);
/// Whether every tensor that the call reads and gives has a known dtype, the floats among them 16 or 32 bits, and its
/// constants fit halves.
bool can_compute_on_halves(const Call& call);

/// Of a tensor; of a tuple for each field.
struct PrecisionNeed {
  enum class Kind : uint8_t { Nothing, Half, Full };
  Kind kind = Kind::Nothing;
  std::vector<PrecisionNeed> fields = {};
};

using PrecisionNeeds = std::unordered_map<Ref<Var>, PrecisionNeed>;
PrecisionNeeds precision_needs(const Function& function);

}  // namespace sunmao
