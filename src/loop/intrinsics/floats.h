// Floats: the arithmetic of loop IR that expansions of intrinsics are written in, for scalars and vectors of float32 or
// float64.
#pragma once
#include <limits>
#include <span>

#include "support/function_ref.h"
#include "sym/scalar.h"

namespace sunmao::intrinsics {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Floats {
 public:
  /// `has_fma`: whether the target rounds `fma` once.
  Floats(DType dtype, bool has_fma);

  DType dtype() const { return dtype_; }
  bool is_double() const { return dtype_.bits == 64; }
  bool has_fma() const { return has_fma_; }
  /// float64 with the same lanes.
  Floats doubled() const { return {DType::float_(64, dtype_.lanes), has_fma_}; }

  Scalar number(double v) const;
  /// An integer of the same width and lanes.
  Scalar word(int64_t v) const;
  Scalar bits(const Scalar& x) const { return reinterpreted(x, word_); }
  Scalar of_bits(const Scalar& w) const { return reinterpreted(w, dtype_); }
  /// Converts floats and integers to these floats, by value.
  Scalar of_value(const Scalar& x) const { return Cast::make(dtype_, x); }

  /// Evaluates c[0] + c[1] t + c[2] t^2 + …
  Scalar polynomial(std::span<const double> c, const Scalar& t) const;
  /// The same by pairs of terms, pairs of pairs and so on (Estrin), which shortens the chain of dependent steps.
  Scalar short_polynomial(std::span<const double> c, const Scalar& t) const;
  /// Returns `x` in [lowest, highest]; NaN as it is.
  Scalar clamped(const Scalar& x, double lowest, double highest) const;

  Scalar below(const Scalar& x, double limit) const { return Binary::make(BinaryOp::Lt, x, number(limit)); }
  Scalar above(const Scalar& x, double limit) const { return Binary::make(BinaryOp::Gt, x, number(limit)); }
  Scalar equals(const Scalar& x, double v) const { return Binary::make(BinaryOp::Eq, x, number(v)); }

 private:
  static Scalar reinterpreted(const Scalar& x, DType to);
  const DType dtype_, word_;
  const bool has_fma_;
};

Scalar divide(const Scalar& x, const Scalar& y);
/// Returns `yes` where `condition` holds, else `no`; both are computed.
Scalar choose(const Scalar& condition, const Scalar& yes, const Scalar& no);
Scalar both(const Scalar& a, const Scalar& b);
Scalar either(const Scalar& a, const Scalar& b);
Scalar is_nan(const Scalar& x);
Scalar differs(const Scalar& x, const Scalar& y);
Scalar negated(const Scalar& x);
Scalar magnitude(const Scalar& x);
Scalar with_sign(const Scalar& x, const Scalar& sign);
Scalar square_root(const Scalar& x);
Scalar truncated(const Scalar& x);
Scalar nearest(const Scalar& x);  // ties to even
Scalar fused(const Scalar& x, const Scalar& y, const Scalar& z);
/// Returns x * 2^n for whole numbers n of at most twice the greatest exponent; n is NaN only where x is.
Scalar scaled(const Scalar& x, const Scalar& n);
Scalar bit_and(const Scalar& a, const Scalar& b);
Scalar bit_or(const Scalar& a, const Scalar& b);
Scalar bit_xor(const Scalar& a, const Scalar& b);
Scalar shifted_left(const Scalar& a, const Scalar& count);
Scalar shifted_right(const Scalar& a, const Scalar& count);
/// Returns `rare` if `condition` holds in any lane, else `usual`; only one of them is computed. `rare` must be right in
/// all lanes.
Scalar branch(const Scalar& condition, const Scalar& rare, const Scalar& usual);

/// Returns body(v), where v is `value`, computed once, before branches of the body.
Scalar let(const Scalar& value, FunctionRef<Scalar(const Scalar&)> body);

/// Binds what the graph of `value` uses more than once, and what is deep, by `T.Let`, so that it is a tree of some
/// levels.
Scalar with_lets(const Scalar& value);

}  // namespace sunmao::intrinsics
