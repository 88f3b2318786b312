// What a branch may have as its condition.
#pragma once
#include <algorithm>

#include "ir/type.h"
#include "sym/scalar.h"

namespace sunmao {

/// Whether the type is known to be a bool of one element: a run reads it, whatever its rank.
inline bool is_one_bool(const TensorType& t) {
  if (!t.dtype.is_bool() || (t.rank != 0 && !t.dims())) return false;
  return t.rank == 0 || std::ranges::all_of(*t.dims(), [](const Scalar& size) {
           const int64_t* number = find_int(size);
           return number && *number == 1;
         });
}

}  // namespace sunmao
