// Converters of functions of complex numbers, of their norms, and of tests on them.
#include <array>
#include <cmath>
#include <numbers>

#include "frontend/shapes.h"
#include "frontend/torch/complex_arithmetic.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

/// Arithmetic on complex numbers of one dtype.
class Numbers {
 public:
  Numbers(const NodeContext& n, DType dtype) : n_(n), dtype_(dtype) {}

  Expr number(double value) const { return n_.constant(dtype_, value); }
  Expr call(const char* op, const Expr& x) const { return n_.call(op, {x}); }
  Expr call(const char* op, const Expr& x, const Expr& y) const { return n_.call(op, {x, y}); }
  Expr add(const Expr& x, const Expr& y) const { return call("add", x, y); }
  Expr minus(const Expr& x, const Expr& y) const { return call("subtract", x, y); }
  Expr mul(const Expr& x, const Expr& y) const { return call("multiply", x, y); }
  Expr negative(const Expr& x) const { return call("negative", x); }
  Expr choose(const Expr& condition, const Expr& x, const Expr& y) const { return n_.call("where", {condition, x, y}); }
  Complex scaled(const Complex& z, double factor) const {
    return {mul(z.re, number(factor)), mul(z.im, number(factor))};
  }
  /// Returns z + number, or number - z for a `sign` of -1.
  Complex beside(double real, const Complex& z, double sign) const {
    return sign > 0 ? Complex{add(z.re, number(real)), z.im} : Complex{minus(number(real), z.re), negative(z.im)};
  }
  /// Returns i z and -i z.
  Complex turned(const Complex& z) const { return {negative(z.im), z.re}; }
  Complex turned_back(const Complex& z) const { return {z.im, negative(z.re)}; }

  Complex log(const Complex& z) const { return {call("log", magnitude(n_, z)), call("atan2", z.im, z.re)}; }
  Complex exp(const Complex& z) const {
    Complex out = polar_of(n_, call("exp", z.re), z.im);
    out.im = choose(call("equal", z.im, number(0)), z.im, out.im);
    return out;
  }
  /// The half that the sum of magnitudes gives is exact; the other one is divided by it.
  Complex sqrt(const Complex& z) const {
    const Expr zero = number(0), half = number(0.5);
    const Expr sum = add(mul(call("abs", z.re), half), mul(magnitude(n_, z), half)), large = call("sqrt", sum);
    const Expr is_zero = call("equal", large, zero), safe = choose(is_zero, number(1), large);
    const Expr small = mul(half, call("divide", z.im, safe)), is_left = call("less", z.re, zero);
    return {choose(is_left, call("abs", small), large), choose(is_left, call("copysign", large, z.im), small)};
  }
  Complex sinh(const Complex& z) const {
    return {mul(call("sinh", z.re), call("cos", z.im)), mul(call("cosh", z.re), call("sin", z.im))};
  }
  Complex cosh(const Complex& z) const {
    return {mul(call("cosh", z.re), call("cos", z.im)), mul(call("sinh", z.re), call("sin", z.im))};
  }
  /// tanh(x + i y) = (tanh(x) (1 + t^2) + i t / cosh(x)^2) / (1 + tanh(x)^2 t^2) for t = tan(y).
  Complex tanh(const Complex& z) const {
    const Expr s = call("tanh", z.re), t = call("tan", z.im), squared = mul(t, t),
               secant = call("divide", number(1), call("cosh", z.re));
    const Expr below = add(number(1), mul(mul(s, s), squared));
    return {call("divide", mul(s, add(number(1), squared)), below), call("divide", mul(t, mul(secant, secant)), below)};
  }
  /// Kahan's formulas, by square roots of z + 1 and of z - 1 or 1 - z.
  Complex asin(const Complex& z) const {
    const Complex a = sqrt(beside(1, z, -1)), b = sqrt(beside(1, z, 1));
    return {call("atan2", z.re, minus(mul(a.re, b.re), mul(a.im, b.im))),
            call("asinh", minus(mul(a.re, b.im), mul(a.im, b.re)))};
  }
  Complex acos(const Complex& z) const {
    const Complex a = sqrt(beside(1, z, -1)), b = sqrt(beside(1, z, 1));
    return {mul(number(2), call("atan2", a.re, b.re)), call("asinh", minus(mul(b.re, a.im), mul(b.im, a.re)))};
  }
  Complex acosh(const Complex& z) const {
    const Complex a = sqrt(beside(-1, z, 1)), b = sqrt(beside(1, z, 1));
    return {call("asinh", add(mul(a.re, b.re), mul(a.im, b.im))), mul(number(2), call("atan2", a.im, b.re))};
  }
  Complex atanh(const Complex& z) const {
    const Expr from_one = minus(number(1), z.re), squared = mul(z.im, z.im);
    const Expr ratio = call("divide", mul(number(4), z.re), add(mul(from_one, from_one), squared));
    const Expr beyond = minus(mul(from_one, add(number(1), z.re)), squared);
    return {mul(number(0.25), call("log1p", ratio)), mul(number(0.5), call("atan2", mul(number(2), z.im), beyond))};
  }
  Complex reciprocal(const Complex& z) const { return over(n_, {number(1), nullptr}, z); }
  /// z^w, where 0^w is 0, and 1 for w = 0.
  Complex power(const Complex& z, const Complex& w) const {
    const Expr zero = number(0);
    const auto is_zero = [&](const Complex& x) {
      return call("logical_and", call("equal", x.re, zero), call("equal", x.im, zero));
    };
    const Complex value = exp(times(n_, w, log(z)));
    const Expr at_zero = choose(is_zero(w), number(1), zero), is_at_zero = call("logical_or", is_zero(z), is_zero(w));
    return {choose(is_at_zero, at_zero, value.re), choose(is_at_zero, zero, value.im)};
  }

 private:
  const NodeContext& n_;
  const DType dtype_;
};

Complex whole_operand(const NodeContext& n, std::string_view name) {
  return complex_parts(complex_of(n, complex_operand(n, name)));
}

template <auto method>
Results complex_function(const NodeContext& n) {
  const Numbers numbers(n, dtype_of_parts(n));
  return complex_of(n, (numbers.*method)(whole_operand(n, "self")));
}
/// Converts the circular function of which `method` is the hyperbolic one: f(z) = -i g(i z).
template <auto method>
Results complex_circular(const NodeContext& n) {
  const Numbers numbers(n, dtype_of_parts(n));
  return complex_of(n, numbers.turned_back((numbers.*method)(numbers.turned(whole_operand(n, "self")))));
}
Results complex_cosine(const NodeContext& n) {
  const Numbers numbers(n, dtype_of_parts(n));
  return complex_of(n, numbers.cosh(numbers.turned(whole_operand(n, "self"))));
}
/// asinh(z) = -i asin(i z)
Results complex_inverse_sinh(const NodeContext& n) { return complex_circular<&Numbers::asin>(n); }

template <double (*factor)()>
Results scaled_logarithm(const NodeContext& n) {
  const Numbers numbers(n, dtype_of_parts(n));
  return complex_of(n, numbers.scaled(numbers.log(whole_operand(n, "self")), factor()));
}
double of_two() { return std::numbers::log2e; }
double of_ten() { return std::numbers::log10e; }
Results exponential_of_two(const NodeContext& n) {
  const Numbers numbers(n, dtype_of_parts(n));
  return complex_of(n, numbers.exp(numbers.scaled(whole_operand(n, "self"), std::numbers::ln2)));
}
/// exp(z) - 1, whose real part is expm1(x) cos(y) - 2 sin(y / 2)^2.
Results exponential_less_one(const NodeContext& n) {
  const Numbers m(n, dtype_of_parts(n));
  const Complex z = whole_operand(n, "self");
  const Expr half = m.call("sin", m.mul(z.im, m.number(0.5)));
  return complex_of(
      n,
      {m.minus(m.mul(m.call("expm1", z.re), m.call("cos", z.im)), m.mul(m.number(2), m.mul(half, half))), m.exp(z).im});
}
/// log(1 + z), whose real part is log1p(x (2 + x) + y^2) / 2.
Results logarithm_beside_one(const NodeContext& n) {
  const Numbers m(n, dtype_of_parts(n));
  const Complex z = whole_operand(n, "self");
  const Expr beyond = m.add(m.mul(z.re, m.add(m.number(2), z.re)), m.mul(z.im, z.im));
  return complex_of(n,
                    {m.mul(m.number(0.5), m.call("log1p", beyond)), m.call("atan2", z.im, m.add(m.number(1), z.re))});
}
Results complex_reciprocal_root(const NodeContext& n) {
  const Numbers m(n, dtype_of_parts(n));
  return complex_of(n, m.reciprocal(m.sqrt(whole_operand(n, "self"))));
}
Results complex_sigmoid(const NodeContext& n) {
  const Numbers m(n, dtype_of_parts(n));
  return complex_of(n, m.reciprocal(m.beside(1, m.exp(m.scaled(whole_operand(n, "self"), -1)), 1)));
}

Results complex_square(const NodeContext& n) {
  const Complex z = complex_operand(n, "self");
  return complex_of(n, times(n, z, z));
}
Results complex_reciprocal(const NodeContext& n) {
  return complex_of(n, over(n, {n.constant(dtype_of_parts(n), 1), nullptr}, complex_operand(n, "self")));
}
Results complex_power(const NodeContext& n) {
  const Numbers m(n, dtype_of_parts(n));
  if (n.has_number("exponent")) {
    const double exponent = n.number("exponent").value;
    const Complex z = whole_operand(n, "self");
    if (exponent == 1) return complex_of(n, z);
    if (exponent == 2) return complex_square(n);
    if (exponent == 3) return complex_of(n, times(n, times(n, z, z), z));
    if (exponent == 0.5) return complex_of(n, m.sqrt(z));
    if (exponent == -0.5) return complex_reciprocal_root(n);
    if (exponent == -1) return complex_reciprocal(n);
  }
  return complex_of(n, m.power(whole_operand(n, "self"), whole_operand(n, "exponent")));
}

Results complex_absolute(const NodeContext& n) { return magnitude(n, both_parts(n, "self")); }
Results complex_angle(const NodeContext& n) {
  const Complex z = both_parts(n, "self");
  return n.call("atan2", {z.im, z.re});
}
Results complex_sign(const NodeContext& n) {
  const Complex z = whole_operand(n, "self");
  const Expr size = magnitude(n, z), zero = n.constant(dtype_of_parts(n), 0);
  const Expr safe = n.call("where", {n.call("equal", {size, zero}), n.constant(dtype_of_parts(n), 1), size});
  return complex_of(n, over(n, z, {safe, nullptr}));
}

/// Converts an op on real numbers that gives of complex ones what it gives of their magnitudes.
Results of_magnitudes(const NodeContext& n) {
  MappedScope scope(n.scope(), [&n](std::string_view, const Expr& value) -> Expr {
    return find<Tuple>(value) ? magnitude(n, complex_parts(value)) : value;
  });
  std::vector<Type> recorded;
  for (size_t i = 0; i < n.output_count(); ++i) recorded.push_back(n.recorded(i));
  return find_converter(n.target)->convert(n.with(scope, std::move(recorded)));
}

/// Converts a test of both parts, of which one or each has to hold.
template <OpName test, OpName join>
Results complex_tested(const NodeContext& n) {
  const Complex z = both_parts(n, "self");
  return n.call(join.text, {n.call(test.text, {z.re}), n.call(test.text, {z.im})});
}
template <OpName test, OpName join>
Results complex_compared(const NodeContext& n) {
  DType dtype = dtype_of(complex_parts(n.tensor("self")).re);
  if (n.has_tensor("other")) dtype = promote(dtype, dtype_of(complex_parts(n.tensor("other")).re));
  const auto part = [&](const Expr& x) { return converted(n.builder, x, dtype, n.span); };
  const auto operand_in_dtype = [&](std::string_view name) -> Complex {
    if (const auto number = n.complex_number(name); number && !n.has_tensor(name))
      return {n.constant(dtype, number->first), n.constant(dtype, number->second)};
    const Complex z = both_parts(n, name);
    return {part(z.re), part(z.im)};
  };
  const Complex a = operand_in_dtype("self"), b = operand_in_dtype("other");
  return n.call(join.text, {n.call(test.text, {a.re, b.re}), n.call(test.text, {a.im, b.im})});
}
Results complex_is_zero(const NodeContext& n) {
  const Complex z = both_parts(n, "self");
  const Expr zero = n.constant(dtype_of(z.re), 0);
  return n.call("logical_and", {n.call("equal", {z.re, zero}), n.call("equal", {z.im, zero})});
}

/// Converts the variance of complex numbers, the sum of those of their parts; and its root.
template <bool is_root>
Results complex_spread(const NodeContext& n) {
  const std::string_view target = n.target;
  const std::string of_parts = "aten.var" + std::string(target.substr(target.find('.', 5)));
  Expr sum;
  for (bool of_real : {true, false}) {
    MappedScope scope(n.scope(), [of_real](std::string_view, const Expr& value) -> Expr {
      const Complex z = complex_parts(value);
      return !z.im || of_real ? z.re : z.im;
    });
    const Expr part = find_converter(of_parts)->convert(n.with(scope, {n.recorded()})).values.at(0);
    sum = sum ? n.call("add", {sum, part}) : part;
  }
  return is_root ? n.call("sqrt", {sum}) : sum;
}

Complex matrix_product(const NodeContext& n, const Complex& a, const Complex& b) {
  const auto product = [&](const Expr& x, const Expr& y) { return n.call("matmul", {x, y}); };
  return {n.call("subtract", {product(a.re, b.re), product(a.im, b.im)}),
          n.call("add", {product(a.re, b.im), product(a.im, b.re)})};
}
Complex factor_of(const NodeContext& n, std::string_view name, double otherwise) {
  const auto value = n.has(name) ? n.complex_number(name) : std::pair(otherwise, 0.0);
  if (!value) throw UnsupportedUse{"on complex numbers with a symbolic factor"};
  const DType dtype = dtype_of_parts(n);
  return {n.constant(dtype, value->first), value->second == 0 ? Expr() : n.constant(dtype, value->second)};
}
/// Converts beta * self + alpha * the product of two operands.
Results complex_add_product(const NodeContext& n, std::string_view left, std::string_view right) {
  const Complex product = matrix_product(n, whole_operand(n, left), whole_operand(n, right));
  const Complex added = times(n, whole_operand(n, "self"), factor_of(n, "beta", 1));
  return complex_of(n, sum_of(n, "add", added, times(n, product, factor_of(n, "alpha", 1))));
}
Results complex_addmm(const NodeContext& n) { return complex_add_product(n, "mat1", "mat2"); }
Results complex_addmv(const NodeContext& n) { return complex_add_product(n, "mat", "vec"); }
Results complex_baddbmm(const NodeContext& n) { return complex_add_product(n, "batch1", "batch2"); }
Results complex_addcmul(const NodeContext& n) {
  const Complex product = times(n, complex_operand(n, "tensor1"), complex_operand(n, "tensor2"));
  return complex_of(n, sum_of(n, "add", complex_operand(n, "self"), times(n, product, factor_of(n, "value", 1))));
}
Results complex_addcdiv(const NodeContext& n) {
  const Complex quotient =
      over(n, times(n, complex_operand(n, "tensor1"), factor_of(n, "value", 1)), complex_operand(n, "tensor2"));
  return complex_of(n, sum_of(n, "add", complex_operand(n, "self"), quotient));
}

}  // namespace

std::vector<Converter> complex_function_forms() {
  std::vector<Converter> rows{{"aten.square.default", complex_square, ""},
                              {"aten.reciprocal.default", complex_reciprocal, ""},
                              {"aten.abs.default", complex_absolute, ""},
                              {"aten.absolute.default", complex_absolute, ""},
                              {"aten.angle.default", complex_angle, ""},
                              {"aten.sgn.default", complex_sign, ""},
                              {"aten.exp.default", complex_function<&Numbers::exp>, ""},
                              {"aten.exp2.default", exponential_of_two, ""},
                              {"aten.expm1.default", exponential_less_one, ""},
                              {"aten.log.default", complex_function<&Numbers::log>, ""},
                              {"aten.log2.default", scaled_logarithm<of_two>, ""},
                              {"aten.log10.default", scaled_logarithm<of_ten>, ""},
                              {"aten.log1p.default", logarithm_beside_one, ""},
                              {"aten.sqrt.default", complex_function<&Numbers::sqrt>, ""},
                              {"aten.rsqrt.default", complex_reciprocal_root, ""},
                              {"aten.sigmoid.default", complex_sigmoid, ""},
                              {"aten.sinh.default", complex_function<&Numbers::sinh>, ""},
                              {"aten.cosh.default", complex_function<&Numbers::cosh>, ""},
                              {"aten.tanh.default", complex_function<&Numbers::tanh>, ""},
                              {"aten.sin.default", complex_circular<&Numbers::sinh>, ""},
                              {"aten.cos.default", complex_cosine, ""},
                              {"aten.tan.default", complex_circular<&Numbers::tanh>, ""},
                              {"aten.asin.default", complex_function<&Numbers::asin>, ""},
                              {"aten.acos.default", complex_function<&Numbers::acos>, ""},
                              {"aten.atan.default", complex_circular<&Numbers::atanh>, ""},
                              {"aten.asinh.default", complex_inverse_sinh, ""},
                              {"aten.acosh.default", complex_function<&Numbers::acosh>, ""},
                              {"aten.atanh.default", complex_function<&Numbers::atanh>, ""},
                              {"aten.isfinite.default", complex_tested<"isfinite", "logical_and">, ""},
                              {"aten.isnan.default", complex_tested<"isnan", "logical_or">, ""},
                              {"aten.isinf.default", complex_tested<"isinf", "logical_or">, ""},
                              {"aten.logical_not.default", complex_is_zero, ""},
                              {"aten.addmm.default", complex_addmm, ""},
                              {"aten.addmv.default", complex_addmv, ""},
                              {"aten.baddbmm.default", complex_baddbmm, ""},
                              {"aten.addcmul.default", complex_addcmul, ""},
                              {"aten.addcdiv.default", complex_addcdiv, ""}};
  for (const char* target : {"aten.pow.Tensor_Scalar", "aten.pow.Tensor_Tensor", "aten.pow.Scalar"})
    rows.push_back({target, complex_power, ""});
  for (const char* target : {"aten.eq.Tensor", "aten.eq.Scalar"})
    rows.push_back({target, complex_compared<"equal", "logical_and">, ""});
  for (const char* target : {"aten.ne.Tensor", "aten.ne.Scalar"})
    rows.push_back({target, complex_compared<"not_equal", "logical_or">, ""});
  for (const char* target : {"aten.linalg_vector_norm.default", "aten.norm.Scalar", "aten.norm.ScalarOpt_dim",
                             "aten.norm.ScalarOpt_dim_dtype", "aten.norm.ScalarOpt_dtype", "aten.linalg_norm.default",
                             "aten.linalg_matrix_norm.str_ord"})
    rows.push_back({target, of_magnitudes, ""});
  for (const char* target : {"aten.var.default", "aten.var.dim", "aten.var.correction"})
    rows.push_back({target, complex_spread<false>, ""});
  for (const char* target : {"aten.std.default", "aten.std.dim", "aten.std.correction"})
    rows.push_back({target, complex_spread<true>, ""});
  return rows;
}

}  // namespace sunmao::torch
