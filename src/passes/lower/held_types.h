// The types in which bytecode holds values: tensors, shapes and integers as they are, all others as handles.
#pragma once
#include "ir/type.h"

namespace sunmao {

/// The type of a value that only the host understands: it is known by a number that the host gives.
Type handle_type();
bool is_handle(const Type& type);
/// True when the type or a field of it is a handle.
bool holds_handle(const Type& type);

/// Returns the type of the values that bytecode has in place of those of `type`.
Type held_type(const Type& type);
/// Returns the type without sizes and values of numbers: ranks, dtypes and devices remain.
Type opened(const Type& type);

}  // namespace sunmao
