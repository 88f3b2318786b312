// Calls that hold a value between two numbers.
#pragma once
#include <optional>

#include "ir/op.h"

namespace sunmao {

/// What holds `operand` between two numbers, which may be infinite; `low` is not above `high`.
struct Clamp {
  Expr operand;
  double low, high;

  /// Returns this clamp of what another one, `inner`, gives as one clamp of its operand.
  Clamp after(const Clamp& inner) const;
};

/// Returns a clamp that changes nothing.
Clamp unclamped(const Expr& value);
/// Reads `relu`, and `clip`, `maximum` and `minimum` with constants; nullopt for other calls.
std::optional<Clamp> read_clamp(const Call& call);

}  // namespace sunmao
