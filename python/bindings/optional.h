// Optional arguments of bound functions.
#pragma once
#include <optional>

#include "support/diagnostic.h"

namespace sunmao::python {

using MaybeSpan = std::optional<Span>;

/// The value, or the null handle where Python gave none.
template <class T>
T or_null(const std::optional<T>& value) {
  return value.value_or(T());
}

}  // namespace sunmao::python
