// Types of tensors and shapes of known rank that do not say the sizes.
#pragma once
#include <functional>

#include "ir/expr.h"

namespace sunmao {

/// Returns the type with what `size` returns for each size that it leaves open, in tensors of known rank and dtype,
/// shapes of known rank, and tuples with such fields; the same type when it leaves none open.
Type with_sizes(const Type& type, const std::function<Scalar()>& size);
/// True when `with_sizes` changes the type.
bool leaves_sizes_open(const Type& type);
/// True for a cast that says all sizes which the type of its value leaves open, or the size that a number is.
bool says_open_sizes(const Binding& b);

}  // namespace sunmao
