#include "loop/intrinsics/floats.h"

#include <unordered_map>

#include "sym/walk.h"

namespace sunmao::intrinsics {
namespace {

Scalar splat(const Scalar& value, DType dtype) {
  return dtype.is_vector() ? Broadcast::make(value, dtype.all_lanes()) : value;
}

Scalar call(const char* name, const Scalar& x) { return ScalarCall::make(name, x->dtype, {x}); }
Scalar call(const char* name, const Scalar& x, const Scalar& y) { return ScalarCall::make(name, x->dtype, {x, y}); }

bool is_leaf(const Scalar& s) {
  return find<SymVar>(s) || find<IntImm>(s) || find<FloatImm>(s) || find<StringImm>(s) ||
         (find<Broadcast>(s) && is_leaf(find<Broadcast>(s)->value));
}

// Deeper parts are bound as well, for scripts to be read again.
constexpr uint32_t kDeepest = 40;

/// Rebuilds a graph of scalars as a tree under lets. Lets and branches that are there are not looked into: they are
/// trees.
class Binder {
 public:
  explicit Binder(const Scalar& root) { count(root); }

  Scalar bind(const Scalar& root) {
    Scalar out = rebuilt(root);
    for (size_t i = lets_.size(); i-- > 0;) out = Let::make(lets_[i].first, lets_[i].second, out);
    return out;
  }

 private:
  static bool is_tree(const Scalar& s) {
    const auto* call = find<ScalarCall>(s);
    return find<Let>(s) || (call && call->name == "if_then_else");
  }

  void count(const Scalar& s) {
    if (is_leaf(s) || uses_[s]++ > 0 || is_tree(s)) return;
    for_each_child(s, [&](const Scalar& child) { count(child); });
  }

  Scalar rebuilt(const Scalar& s) {
    if (is_leaf(s)) return s;
    if (const auto known = done_.find(s); known != done_.end()) return known->second;
    Scalar out = is_tree(s) ? s : map_children(s, [&](const Scalar& child) { return rebuilt(child); });
    if (uses_[s] > 1 || (!is_tree(s) && out->depth() > kDeepest)) {
      const Ref<SymVar> var = SymVar::make("t", s->dtype);
      lets_.emplace_back(var, std::move(out));
      out = var;
    }
    done_.emplace(s, out);
    return out;
  }

  std::unordered_map<Scalar, int> uses_;
  std::unordered_map<Scalar, Scalar> done_;
  std::vector<std::pair<Ref<SymVar>, Scalar>> lets_;
};

}  // namespace

Floats::Floats(DType dtype, bool has_fma)
    : dtype_(dtype), word_(DType::int_(dtype.bits, dtype.lanes)), has_fma_(has_fma) {}

Scalar Floats::number(double v) const { return splat(FloatImm::make(dtype_.element(), v), dtype_); }
Scalar Floats::word(int64_t v) const { return splat(IntImm::make(word_.element(), v), word_); }
Scalar Floats::reinterpreted(const Scalar& x, DType to) { return ScalarCall::make("reinterpret", to, {x}); }

Scalar Floats::polynomial(std::span<const double> c, const Scalar& t) const {
  Scalar sum = number(c.back());
  for (size_t i = c.size() - 1; i-- > 0;) sum = sum * t + number(c[i]);
  return sum;
}

Scalar Floats::short_polynomial(std::span<const double> c, const Scalar& t) const {
  std::vector<Scalar> terms;
  for (double v : c) terms.push_back(number(v));
  for (Scalar power = t; terms.size() > 1; power = power * power) {
    std::vector<Scalar> pairs;
    for (size_t i = 0; i + 1 < terms.size(); i += 2) pairs.push_back(terms[i + 1] * power + terms[i]);
    if (terms.size() % 2) pairs.push_back(terms.back());
    terms = std::move(pairs);
  }
  return terms[0];
}

Scalar Floats::clamped(const Scalar& x, double lowest, double highest) const {
  const Scalar not_above = choose(above(x, highest), number(highest), x);
  return choose(below(not_above, lowest), number(lowest), not_above);
}

Scalar divide(const Scalar& x, const Scalar& y) { return Binary::make(BinaryOp::Div, x, y); }
Scalar choose(const Scalar& condition, const Scalar& yes, const Scalar& no) { return Select::make(condition, yes, no); }
Scalar both(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::And, a, b); }
Scalar either(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::Or, a, b); }
Scalar is_nan(const Scalar& x) { return differs(x, x); }
Scalar differs(const Scalar& x, const Scalar& y) { return Binary::make(BinaryOp::Ne, x, y); }
Scalar negated(const Scalar& x) { return splat(FloatImm::make(x->dtype.element(), -0.0), x->dtype) - x; }
Scalar magnitude(const Scalar& x) { return call("fabs", x); }
Scalar with_sign(const Scalar& x, const Scalar& sign) { return call("copysign", x, sign); }
Scalar square_root(const Scalar& x) { return call("sqrt", x); }
Scalar truncated(const Scalar& x) { return call("trunc", x); }
Scalar nearest(const Scalar& x) { return call("nearbyint", x); }
Scalar fused(const Scalar& x, const Scalar& y, const Scalar& z) { return ScalarCall::make("fma", x->dtype, {x, y, z}); }
Scalar scaled(const Scalar& x, const Scalar& n) { return call("scalb", x, n); }
Scalar bit_and(const Scalar& a, const Scalar& b) { return call("bitwise_and", a, b); }
Scalar bit_or(const Scalar& a, const Scalar& b) { return call("bitwise_or", a, b); }
Scalar bit_xor(const Scalar& a, const Scalar& b) { return call("bitwise_xor", a, b); }
Scalar shifted_left(const Scalar& a, const Scalar& count) { return call("shift_left", a, count); }
Scalar shifted_right(const Scalar& a, const Scalar& count) { return call("shift_right", a, count); }

Scalar branch(const Scalar& condition, const Scalar& rare, const Scalar& usual) {
  return ScalarCall::make(
      "if_then_else", usual->dtype,
      {ScalarCall::make("any_lane", DType::bool_(), {with_lets(condition)}), with_lets(rare), with_lets(usual)});
}

Scalar let(const Scalar& value, FunctionRef<Scalar(const Scalar&)> body) {
  const Ref<SymVar> var = SymVar::make("t", value->dtype);
  return Let::make(var, with_lets(value), with_lets(body(var)));
}

Scalar with_lets(const Scalar& value) { return Binder(value).bind(value); }

}  // namespace sunmao::intrinsics
