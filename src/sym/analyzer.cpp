#include "sym/analyzer.h"

#include <algorithm>

#include "support/diagnostic.h"
#include "sym/equal.h"
#include "sym/fold.h"
#include "sym/polynomial.h"
#include "sym/rules.h"
#include "sym/walk.h"

namespace sunmao {

struct Analyzer::State {
  std::vector<Scalar> atoms;
  std::unordered_map<uint64_t, std::vector<int>> by_hash;
  std::unordered_map<const Node*, Interval> ranges;
  // Caches, cleared by new assumptions.
  std::unordered_map<Scalar, Polynomial> polynomials;
  std::unordered_map<Scalar, Scalar> simplified;

  int number_of(const Scalar& s) {
    std::vector<int>& bucket = by_hash[structural_hash(s)];
    for (int i : bucket)
      if (structural_equal(atoms[static_cast<size_t>(i)], s)) return i;
    bucket.push_back(static_cast<int>(atoms.size()));
    atoms.push_back(s);
    return bucket.back();
  }
};

namespace {

/// Returns the entry of `known` for `s`, computed by `find` if it is missing.
template <class T, class F>
T once(std::unordered_map<Scalar, T>& known, const Scalar& s, F find) {
  if (auto it = known.find(s); it != known.end()) return it->second;
  return known.emplace(s, find(s)).first->second;
}

}  // namespace

Analyzer::Analyzer() : state_(std::make_unique<State>()) {}
Analyzer::~Analyzer() = default;

void Analyzer::assume(const Ref<SymVar>& var, Interval range) {
  state_->polynomials.clear();
  state_->simplified.clear();
  Interval& known = state_->ranges[var.get()];
  known.lo = std::max(known.lo, range.lo);
  known.hi = std::min(known.hi, range.hi);
}

Polynomial Analyzer::atom(const Scalar& s) {
  Scalar inner = simplify_node(s);
  if (const int64_t* value = find_int(inner)) return Polynomial::constant(*value);
  return Polynomial::of_atom(state_->number_of(inner));
}

Polynomial Analyzer::polynomial(const Scalar& s) {
  if (const int64_t* value = find_int(s)) return Polynomial::constant(*value);
  return once(state_->polynomials, s, [&](const Scalar& x) { return new_polynomial(x); });
}

Polynomial Analyzer::new_polynomial(const Scalar& s) {
  const auto* b = find<Binary>(s);
  if (!b || !s->dtype.is_integral() || s->dtype.lanes != 1 || s->dtype.is_bool()) return atom(s);
  switch (b->op) {
    case BinaryOp::Add:
    case BinaryOp::Sub:
    case BinaryOp::Mul: {
      Polynomial x = polynomial(b->a), y = polynomial(b->b);
      Polynomial result = b->op == BinaryOp::Mul ? x.times(y) : x.plus(y, b->op == BinaryOp::Add ? 1 : -1);
      return result.is_valid() ? join_divisions(result) : Polynomial::of_atom(state_->number_of(s));
    }
    case BinaryOp::FloorDiv: return divide(polynomial(b->a), polynomial(b->b), s->dtype);
    case BinaryOp::FloorMod: return modulo(polynomial(b->a), polynomial(b->b), s->dtype);
    case BinaryOp::Div:
    case BinaryOp::TruncMod: {
      const Polynomial x = polynomial(b->a), y = polynomial(b->b);
      if (range(x).lo < 0 || range(y).lo <= 0) return atom(s);  // else both divisions are one
      return b->op == BinaryOp::Div ? divide(x, y, s->dtype) : modulo(x, y, s->dtype);
    }
    case BinaryOp::Min:
    case BinaryOp::Max: {
      Polynomial x = polynomial(b->a), y = polynomial(b->b);
      Interval difference = range(x.plus(y, -1));
      if (difference.hi <= 0) return b->op == BinaryOp::Min ? x : y;
      if (difference.lo >= 0) return b->op == BinaryOp::Min ? y : x;
      Scalar p = to_scalar(x, s->dtype), q = to_scalar(y, s->dtype);
      // Operands are ordered by hash, so that min(a, b) and min(b, a) are the same atom.
      if (structural_hash(p) > structural_hash(q)) std::swap(p, q);
      return by_rules(Binary::make(b->op, p, q));
    }
    default: return atom(s);
  }
}

Polynomial Analyzer::divide(const Polynomial& a, const Polynomial& b, DType dtype) {
  std::optional<int64_t> divisor = b.as_constant();
  auto as_atom = [&](const Polynomial& x, const Polynomial& y) {
    return by_rules(Binary::make(BinaryOp::FloorDiv, to_scalar(x, dtype), to_scalar(y, dtype)));
  };
  if (divisor && *divisor == 0) return as_atom(a, b);
  if (a == b) return Polynomial::constant(1);
  if (b.terms().size() != 1) return as_atom(a, b);
  const auto& [monomial, coefficient] = *b.terms().begin();
  Polynomial rest;
  Polynomial quotient = a.split(monomial, coefficient, &rest);
  if (rest.terms().empty()) return quotient;
  Interval left = range(rest), by = range(b);
  if (left.lo >= 0 && left.hi < by.lo) return quotient;
  if (std::optional<int64_t> x = rest.as_constant(); x && divisor)
    if (std::optional<int64_t> whole = evaluate(BinaryOp::FloorDiv, *x, *divisor))
      return quotient.plus(Polynomial::constant(*whole));
  // (x // a) // b is x // (a * b) for positive constants.
  if (divisor && *divisor > 0 && rest.terms().size() == 1 && rest.terms().begin()->second == 1 &&
      rest.terms().begin()->first.size() == 1) {
    Scalar only = state_->atoms[static_cast<size_t>(rest.terms().begin()->first[0])];
    const auto* inner = find<Binary>(only);
    const int64_t* by_inner = inner && inner->op == BinaryOp::FloorDiv ? find_int(inner->b) : nullptr;
    int64_t both;
    if (by_inner && *by_inner > 0 && !__builtin_mul_overflow(*by_inner, *divisor, &both))
      return quotient.plus(divide(polynomial(inner->a), Polynomial::constant(both), dtype));
  }
  return quotient.plus(as_atom(rest, b));
}

Polynomial Analyzer::modulo(const Polynomial& a, const Polynomial& b, DType dtype) {
  Polynomial rest = a;
  if (b.terms().size() == 1) {
    const auto& [monomial, coefficient] = *b.terms().begin();
    rest = Polynomial();
    a.split(monomial, coefficient, &rest);
  }
  std::optional<int64_t> divisor = b.as_constant(), value = rest.as_constant();
  if (divisor && value)
    if (std::optional<int64_t> remainder = evaluate(BinaryOp::FloorMod, *value, *divisor))
      return Polynomial::constant(*remainder);
  if (a == b) return Polynomial::constant(0);
  if (value && *value == 0 && !(divisor && *divisor == 0)) return rest;
  Interval left = range(rest), by = range(b);
  if (left.lo >= 0 && left.hi < by.lo) return rest;
  return by_rules(Binary::make(BinaryOp::FloorMod, to_scalar(rest, dtype), to_scalar(b, dtype)));
}

Polynomial Analyzer::by_rules(const Scalar& s) {
  Scalar other = apply_rules(s);
  return other ? polynomial(other) : Polynomial::of_atom(state_->number_of(s));
}

// Rewrites k * (c * (x // c) + x % c) to k * x.
Polynomial Analyzer::join_divisions(const Polynomial& p) {
  for (const auto& [monomial, coefficient] : p.terms()) {
    for (size_t i = 0; i < monomial.size(); ++i) {
      const auto* mod = find<Binary>(state_->atoms[static_cast<size_t>(monomial[i])]);
      const int64_t* by = mod && mod->op == BinaryOp::FloorMod ? find_int(mod->b) : nullptr;
      int64_t wanted;
      if (!by || *by <= 0 || __builtin_mul_overflow(coefficient, *by, &wanted)) continue;
      if (wanted == Interval::kMin || coefficient == Interval::kMin) continue;
      Polynomial rest = Polynomial::constant(1);
      for (size_t k = 0; k < monomial.size(); ++k)
        if (k != i) rest = rest.times(Polynomial::of_atom(monomial[k]));
      const Scalar dividend = mod->a;
      const Scalar quotient = Binary::make(BinaryOp::FloorDiv, dividend, mod->b);
      const Polynomial partner = rest.times(Polynomial::of_atom(state_->number_of(quotient)));
      auto found = p.terms().find(partner.terms().begin()->first);
      if (found == p.terms().end() || found->second != wanted) continue;
      Polynomial joined = p.plus(partner, -wanted)
                              .plus(rest.times(Polynomial::of_atom(monomial[i])), -coefficient)
                              .plus(rest.times(polynomial(dividend)), coefficient);
      return joined.is_valid() ? join_divisions(joined) : p;
    }
  }
  return p;
}

// Positive terms come before negative ones, and the constant last within each: n * 2 + 1 - m.
Scalar Analyzer::to_scalar(const Polynomial& p, DType dtype) {
  Scalar sum;
  auto add_terms = [&](bool negative) {
    for (const auto& [monomial, coefficient] : p.terms()) {
      if ((coefficient < 0) != negative) continue;
      Scalar term;
      for (int i : monomial) {
        const Scalar& a = state_->atoms[static_cast<size_t>(i)];
        Scalar typed = a->dtype == dtype ? a : Cast::make(dtype, a);
        term = term ? Binary::make(BinaryOp::Mul, term, typed) : typed;
      }
      const bool subtract = sum && negative && coefficient != Interval::kMin;
      const int64_t factor = subtract ? -coefficient : coefficient;
      const Scalar scale = IntImm::make(dtype, factor);
      if (!term)
        term = scale;
      else if (factor != 1)
        term = Binary::make(BinaryOp::Mul, term, scale);
      sum = sum ? Binary::make(subtract ? BinaryOp::Sub : BinaryOp::Add, sum, term) : term;
    }
  };
  add_terms(false);
  add_terms(true);
  return sum ? sum : IntImm::make(dtype, 0);
}

Interval Analyzer::range(const Polynomial& p) {
  if (!p.is_valid()) return {};
  Interval sum{0, 0};
  for (const auto& [monomial, coefficient] : p.terms()) {
    Interval term{coefficient, coefficient};
    for (int i : monomial) term = multiply(term, atom_range(state_->atoms[static_cast<size_t>(i)]));
    sum = add(sum, term);
  }
  return sum;
}

namespace {

// Returns the values of an integer dtype; of uint64 those that int64 has too.
Interval values_of(DType dtype) {
  if (dtype.is_bool()) return {0, 1};
  const int bits = dtype.bits - (dtype.is_uint() ? 0 : 1);  // without the sign
  const int64_t high = bits < 63 ? (int64_t{1} << bits) - 1 : Interval::kMax;
  return {dtype.is_uint() ? 0 : -high - 1, high};
}

}  // namespace

Interval Analyzer::atom_range(const Scalar& s) {
  if (find<SymVar>(s)) {
    auto it = state_->ranges.find(s.get());
    return it == state_->ranges.end() ? Interval{} : it->second;
  }
  if (const auto* c = find<Cast>(s); c && c->value->dtype.is_integral()) {
    const Interval before = values_of(c->value->dtype), after = values_of(c->dtype);
    Interval value = range(c->value);
    value = {std::max(value.lo, before.lo), std::min(value.hi, before.hi)};
    return after.lo <= value.lo && value.hi <= after.hi ? value : after;  // a value beyond the new dtype wraps
  }
  const auto* b = find<Binary>(s);
  if (!b) return s->dtype.is_bool() ? Interval{0, 1} : Interval{};
  Interval x = range(b->a), y = range(b->b);
  switch (b->op) {
    case BinaryOp::FloorMod:
      if (y.lo <= 0) return {};
      return {0, x.lo >= 0 ? std::min(x.hi, y.hi - 1) : y.hi - 1};
    case BinaryOp::FloorDiv:
      if (y.lo <= 0) return {};
      return {x.lo >= 0 ? (y.hi == Interval::kMax ? 0 : x.lo / y.hi)
                        : (x.lo == Interval::kMin ? x.lo : floor_div(x.lo, y.lo)),
              x.hi == Interval::kMax ? x.hi : floor_div(x.hi, x.hi >= 0 ? y.lo : y.hi)};
    case BinaryOp::Div:
      if (y.lo <= 0) return {};
      return {x.lo >= 0 ? (y.hi == Interval::kMax ? 0 : x.lo / y.hi) : (x.lo == Interval::kMin ? x.lo : x.lo / y.lo),
              x.hi == Interval::kMax ? x.hi : x.hi / (x.hi >= 0 ? y.lo : y.hi)};
    case BinaryOp::Min: return {std::min(x.lo, y.lo), std::min(x.hi, y.hi)};
    case BinaryOp::Max: return {std::max(x.lo, y.lo), std::max(x.hi, y.hi)};
    default: return s->dtype.is_bool() ? Interval{0, 1} : Interval{};
  }
}

Interval Analyzer::range(const Scalar& s) {
  if (!s->dtype.is_integral() || s->dtype.lanes != 1) return {};
  return range(polynomial(s));
}

Scalar Analyzer::simplify_compare(const Scalar& s) {
  const auto* b = find<Binary>(s);
  Interval d = range(polynomial(b->a).plus(polynomial(b->b), -1));
  auto decide = [&](bool yes, bool no) -> Scalar {
    if (yes) return IntImm::make(DType::bool_(), 1);
    return no ? IntImm::make(DType::bool_(), 0) : Scalar();
  };
  switch (b->op) {
    case BinaryOp::Eq: return decide(d.lo == 0 && d.hi == 0, d.lo > 0 || d.hi < 0);
    case BinaryOp::Ne: return decide(d.lo > 0 || d.hi < 0, d.lo == 0 && d.hi == 0);
    case BinaryOp::Lt: return decide(d.hi < 0, d.lo >= 0);
    case BinaryOp::Le: return decide(d.hi <= 0, d.lo > 0);
    case BinaryOp::Gt: return decide(d.lo > 0, d.hi <= 0);
    case BinaryOp::Ge: return decide(d.lo >= 0, d.hi < 0);
    default: return nullptr;
  }
}

Scalar Analyzer::simplify_node(const Scalar& s) {
  return once(state_->simplified, s, [&](const Scalar& x) { return new_simplified(x); });
}

Scalar Analyzer::new_simplified(const Scalar& s) {
  Scalar inner = map_children(s, [&](const Scalar& child) { return simplify(child); });
  if (Scalar folded = fold_constants(inner)) return folded;
  const auto* b = find<Binary>(inner);
  if (b && is_comparison(b->op) && b->a->dtype.is_integral() && b->a->dtype.lanes == 1) {
    if (Scalar decided = simplify_compare(inner)) return decided;
  }
  Scalar other = apply_rules(inner);
  return other ? simplify(other) : inner;
}

Scalar Analyzer::simplify(const Scalar& s) {
  bool arithmetic = s->dtype.is_integral() && !s->dtype.is_bool() && s->dtype.lanes == 1;
  Scalar result = arithmetic ? to_scalar(polynomial(s), s->dtype) : simplify_node(s);
  return structural_equal(result, s) ? s : result;
}

bool Analyzer::can_prove_equal(const Scalar& a, const Scalar& b) {
  if (a.same_as(b)) return true;
  if (a->dtype.is_integral() && b->dtype.is_integral() && a->dtype.lanes == 1 && b->dtype.lanes == 1) {
    Polynomial difference = polynomial(a).plus(polynomial(b), -1);
    return difference.is_valid() && difference.as_constant() == 0;
  }
  return a->dtype == b->dtype && structural_equal(simplify(a), simplify(b));
}

Proof Analyzer::prove(const Scalar& condition) {
  const Scalar simple = simplify(condition);
  const int64_t* value = find_int(simple);
  if (!value) return Proof::Unknown;
  return *value != 0 ? Proof::Yes : Proof::No;
}

}  // namespace sunmao
