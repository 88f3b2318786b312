#include "ops/float_format.h"

#include <cmath>
#include <limits>

#include "ops/lowering.h"

namespace sunmao {
namespace {

DType word_of(DType t) { return DType::int_(t.bits); }
Scalar as_bits(const Scalar& x) { return ScalarCall::make("reinterpret", word_of(x->dtype), {x}); }
Scalar of_bits(const Scalar& word, DType t) { return ScalarCall::make("reinterpret", t, {word}); }
Scalar says(const char* name, const Scalar& x) { return ScalarCall::make(name, DType::bool_(), {x}); }
Scalar bitwise(const char* name, const Scalar& a, const Scalar& b) { return ScalarCall::make(name, a->dtype, {a, b}); }
Scalar word(DType t, int64_t value) { return IntImm::make(word_of(t), value); }

/// The layout of float32 and float64, in one of which all floats have their parts taken: both hold the narrower ones.
struct Format {
  DType dtype;
  int64_t fraction, bias, largest;  // bits of the fraction; what is added to exponents; the largest field of them

  static Format of(DType t) {
    return t.bits == 64 ? Format{t, 52, 1023, 2047} : Format{DType::float_(32), 23, 127, 255};
  }
};

/// Returns body(f, x, y, k), where y = x * 2^k is a normal number wherever x is neither 0, infinite nor NaN.
template <class Body>
Scalar with_normal(const Scalar& number, const Body& body) {
  const Format f = Format::of(number->dtype);
  const Ref<SymVar> x = SymVar::make("x", f.dtype), y = SymVar::make("y", f.dtype);
  const int64_t up = f.dtype.bits;  // the least number of all is 2^-fraction times the least normal one
  const Scalar is_small = less(intrinsic("abs", x), constant(f.dtype, std::ldexp(1.0, static_cast<int>(1 - f.bias))));
  const Scalar raised = Scalar(x) * constant(f.dtype, std::ldexp(1.0, static_cast<int>(up)));
  const Scalar power = Select::make(is_small, word(f.dtype, up), word(f.dtype, 0));
  return Let::make(x, cast_to(f.dtype, number),
                   Let::make(y, Select::make(is_small, raised, x), body(f, Scalar(x), Scalar(y), power)));
}

Scalar has_no_parts(const Scalar& x) {
  return Binary::make(BinaryOp::Or, equals(x, constant(x->dtype, 0)), Not::make(says("isfinite", x)));
}

}  // namespace

Scalar significand(const Scalar& number) {
  return cast_to(number->dtype,
                 with_normal(number, [](const Format& f, const Scalar& x, const Scalar& y, const Scalar&) {
                   const Scalar others = word(f.dtype, ~(f.largest << f.fraction));
                   const Scalar half = word(f.dtype, (f.bias - 1) << f.fraction);
                   const Scalar bits = bitwise("bitwise_or", bitwise("bitwise_and", as_bits(y), others), half);
                   return Select::make(has_no_parts(x), x, of_bits(bits, f.dtype));
                 }));
}

Scalar exponent(const Scalar& number) {
  return with_normal(number, [](const Format& f, const Scalar& x, const Scalar& y, const Scalar& power) {
    const Scalar field =
        bitwise("bitwise_and", bitwise("shift_right", as_bits(y), word(f.dtype, f.fraction)), word(f.dtype, f.largest));
    return cast_to(kInt32, Select::make(has_no_parts(x), word(f.dtype, 0), field - word(f.dtype, f.bias - 1) - power));
  });
}

Scalar next_after(const Scalar& left, const Scalar& right) {
  const DType t = left->dtype;
  const Ref<SymVar> a = SymVar::make("a", t), b = SymVar::make("b", t);
  const Scalar zero = constant(t, 0), is_nan = Binary::make(BinaryOp::Or, says("isnan", a), says("isnan", b));
  // Numbers of one sign follow each other as the integers of their bits do, away from 0.
  const Scalar is_away = Binary::make(BinaryOp::Eq, less(a, b), less(zero, a));
  const Scalar next = of_bits(as_bits(a) + Select::make(is_away, word(t, 1), word(t, -1)), t);
  const Scalar sign = word(t, t.bits == 64 ? std::numeric_limits<int64_t>::min() : -(int64_t{1} << (t.bits - 1)));
  const Scalar least = of_bits(Select::make(less(zero, b), word(t, 1), sign + word(t, 1)), t);
  const Scalar value = Select::make(equals(a, b), b, Select::make(equals(a, zero), least, next));
  return Let::make(a, left, Let::make(b, right, Select::make(is_nan, Scalar(a) + Scalar(b), value)));
}

}  // namespace sunmao
