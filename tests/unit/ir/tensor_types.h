// Types of tensors in tests of the IR.
#pragma once
#include <utility>
#include <vector>

#include "ir/type.h"

namespace sunmao {

inline const DType kF32 = DType::float_(32), kI32 = DType::int_(32);

inline Type tensor(std::vector<Scalar> dims, DType dtype = kF32) { return TensorType::make(std::move(dims), dtype); }

}  // namespace sunmao
