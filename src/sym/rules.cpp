#include "sym/rules.h"

#include <array>
#include <unordered_map>

#include "sym/equal.h"
#include "sym/fold.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

// The pattern variables, for scalars of one lane: x and y match signed integers, a and b constants of these, p and q
// booleans.
struct Names {
  Ref<SymVar> x = SymVar::make("x"), y = SymVar::make("y");
  Ref<SymVar> a = SymVar::make("a"), b = SymVar::make("b");
  Ref<SymVar> p = SymVar::make("p", DType::bool_()), q = SymVar::make("q", DType::bool_());
};
const Names& names() {
  static const Names all;
  return all;
}

Scalar binary(BinaryOp op, const Scalar& l, const Scalar& r) { return Binary::make(op, l, r); }
Scalar both(const Scalar& l, const Scalar& r) { return binary(BinaryOp::And, l, r); }
Scalar either(const Scalar& l, const Scalar& r) { return binary(BinaryOp::Or, l, r); }
Scalar lt(const Scalar& l, const Scalar& r) { return binary(BinaryOp::Lt, l, r); }
Scalar le(const Scalar& l, const Scalar& r) { return binary(BinaryOp::Le, l, r); }
Scalar gt(const Scalar& l, const Scalar& r) { return binary(BinaryOp::Gt, l, r); }
Scalar ge(const Scalar& l, const Scalar& r) { return binary(BinaryOp::Ge, l, r); }
Scalar eq(const Scalar& l, const Scalar& r) { return binary(BinaryOp::Eq, l, r); }
Scalar ne(const Scalar& l, const Scalar& r) { return binary(BinaryOp::Ne, l, r); }
Scalar truth(bool value) { return IntImm::make(DType::bool_(), value); }
Scalar number(int64_t value) { return int_imm(value); }

using Rules = std::vector<Rule>;

void add_min_max(Rules& rules) {
  const auto& [x, y, a, b, p, q] = names();
  rules.insert(rules.end(), {
                                {"min-absorbs-max", min(max(x, y), x), x, {}},
                                {"max-absorbs-min", max(min(x, y), x), x, {}},
                                {"min-again", min(min(x, y), x), min(x, y), {}},
                                {"max-again", max(max(x, y), x), max(x, y), {}},
                                {"min-of-bounds", min(min(x, a), b), min(x, min(a, b)), {}},
                                {"max-of-bounds", max(max(x, a), b), max(x, max(a, b)), {}},
                                {"min-below-max", min(max(x, a), b), b, le(b, a)},
                                {"max-above-min", max(min(x, a), b), b, le(a, b)},
                            });
}

void add_division(Rules& rules) {
  const auto& [x, y, a, b, p, q] = names();
  rules.push_back({"mod-of-mod", floor_mod(floor_mod(x, a), b), floor_mod(x, b),
                   both(gt(b, number(0)), eq(floor_mod(a, b), number(0)))});
  rules.push_back({"div-of-mod", floor_div(floor_mod(x, a), b), floor_mod(floor_div(x, b), floor_div(a, b)),
                   both(both(gt(a, b), gt(b, number(0))), eq(floor_mod(a, b), number(0)))});
}

void add_comparisons(Rules& rules) {
  const auto& [x, y, a, b, p, q] = names();
  const Scalar positive = gt(a, number(0));
  // The quotient b / a, rounded up.
  const Scalar up = floor_div(b + a - number(1), a);
  const Scalar divides = both(ne(a, number(0)), eq(floor_mod(b, a), number(0)));
  const Scalar leaves = both(ne(a, number(0)), ne(floor_mod(b, a), number(0)));
  rules.insert(rules.end(), {
                                {"lt-of-product", lt(x * a, b), lt(x, up), positive},
                                {"le-of-product", le(x * a, b), le(x, floor_div(b, a)), positive},
                                {"gt-of-product", gt(x * a, b), gt(x, floor_div(b, a)), positive},
                                {"ge-of-product", ge(x * a, b), ge(x, up), positive},
                                {"eq-of-product", eq(x * a, b), eq(x, floor_div(b, a)), divides},
                                {"eq-never", eq(x * a, b), truth(false), leaves},
                                {"ne-of-product", ne(x * a, b), ne(x, floor_div(b, a)), divides},
                                {"ne-always", ne(x * a, b), truth(true), leaves},
                                {"lt-of-quotient", lt(floor_div(x, a), b), lt(x, a * b), positive},
                                {"le-of-quotient", le(floor_div(x, a), b), le(x, a * b + a - number(1)), positive},
                                {"gt-of-quotient", gt(floor_div(x, a), b), gt(x, a * b + a - number(1)), positive},
                                {"ge-of-quotient", ge(floor_div(x, a), b), ge(x, a * b), positive},
                                {"lt-of-sum", lt(x + a, b), lt(x, b - a), {}},
                                {"le-of-sum", le(x + a, b), le(x, b - a), {}},
                                {"gt-of-sum", gt(x + a, b), gt(x, b - a), {}},
                                {"ge-of-sum", ge(x + a, b), ge(x, b - a), {}},
                                {"eq-of-sum", eq(x + a, b), eq(x, b - a), {}},
                                {"ne-of-sum", ne(x + a, b), ne(x, b - a), {}},
                                {"lt-of-difference", lt(x - a, b), lt(x, b + a), {}},
                                {"le-of-difference", le(x - a, b), le(x, b + a), {}},
                                {"gt-of-difference", gt(x - a, b), gt(x, b + a), {}},
                                {"ge-of-difference", ge(x - a, b), ge(x, b + a), {}},
                                {"eq-of-difference", eq(x - a, b), eq(x, b + a), {}},
                                {"ne-of-difference", ne(x - a, b), ne(x, b + a), {}},
                            });
}

void add_logic(Rules& rules) {
  const auto& [x, y, a, b, p, q] = names();
  rules.insert(rules.end(), {
                                {"not-not", Not::make(Not::make(p)), p, {}},
                                {"not-lt", Not::make(lt(x, y)), le(y, x), {}},
                                {"not-le", Not::make(le(x, y)), lt(y, x), {}},
                                {"not-gt", Not::make(gt(x, y)), le(x, y), {}},
                                {"not-ge", Not::make(ge(x, y)), lt(x, y), {}},
                                {"not-eq", Not::make(eq(x, y)), ne(x, y), {}},
                                {"not-ne", Not::make(ne(x, y)), eq(x, y), {}},
                                {"and-again", both(p, p), p, {}},
                                {"or-again", either(p, p), p, {}},
                                {"and-not", both(p, Not::make(p)), truth(false), {}},
                                {"or-not", either(p, Not::make(p)), truth(true), {}},
                                {"and-absorbs-or", both(p, either(p, q)), p, {}},
                                {"or-absorbs-and", either(p, both(p, q)), p, {}},
                                {"below-both", both(lt(x, a), lt(x, b)), lt(x, min(a, b)), {}},
                                {"below-either", either(lt(x, a), lt(x, b)), lt(x, max(a, b)), {}},
                                {"at-least-both", both(ge(x, a), ge(x, b)), ge(x, max(a, b)), {}},
                                {"at-least-either", either(ge(x, a), ge(x, b)), ge(x, min(a, b)), {}},
                                {"between-nothing", both(lt(x, a), ge(x, b)), truth(false), le(a, b)},
                                {"outside-everything", either(lt(x, a), ge(x, b)), truth(true), ge(a, b)},
                                {"two-values", both(eq(x, a), eq(x, b)), truth(false), ne(a, b)},
                                {"not-two-values", either(ne(x, a), ne(x, b)), truth(true), ne(a, b)},
                            });
}

void add_selection(Rules& rules) {
  const auto& [x, y, a, b, p, q] = names();
  auto select = [](const Scalar& c, const Scalar& t, const Scalar& e) { return Select::make(c, t, e); };
  rules.insert(rules.end(), {
                                {"select-same", select(p, x, x), x, {}},
                                {"select-not", select(Not::make(p), x, y), select(p, y, x), {}},
                                {"select-truth", select(p, truth(true), truth(false)), p, {}},
                                {"select-untruth", select(p, truth(false), truth(true)), Not::make(p), {}},
                                {"select-smaller", select(lt(x, y), x, y), min(x, y), {}},
                                {"select-no-greater", select(le(x, y), x, y), min(x, y), {}},
                                {"select-greater", select(gt(x, y), x, y), max(x, y), {}},
                                {"select-no-smaller", select(ge(x, y), x, y), max(x, y), {}},
                                {"select-other-of-lt", select(lt(x, y), y, x), max(x, y), {}},
                                {"select-other-of-le", select(le(x, y), y, x), max(x, y), {}},
                                {"select-other-of-gt", select(gt(x, y), y, x), min(x, y), {}},
                                {"select-other-of-ge", select(ge(x, y), y, x), min(x, y), {}},
                            });
}

bool is_commutative(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add:
    case BinaryOp::Mul:
    case BinaryOp::Min:
    case BinaryOp::Max:
    case BinaryOp::Eq:
    case BinaryOp::Ne:
    case BinaryOp::And:
    case BinaryOp::Or: return true;
    default: return false;
  }
}

// Pairs of a pattern and the scalar that it has to match.
using Pairs = std::vector<std::pair<Scalar, Scalar>>;

class Match {
 public:
  /// True when all `pairs` match with common bindings; tries both operand orders of commutative operations.
  bool fits(Pairs pairs) {
    while (!pairs.empty()) {
      const auto [pattern, s] = std::move(pairs.back());
      pairs.pop_back();
      if (Ref<SymVar> name = find_ref<SymVar>(pattern)) {
        if (!bind(name, s)) return false;
        continue;
      }
      if (pattern->kind != s->kind) return false;
      if (const int64_t* value = find_int(pattern)) {
        const int64_t* other = find_int(s);
        if (!other || *other != *value || s->dtype.is_bool() != pattern->dtype.is_bool()) return false;
      } else if (const auto* n = find<Binary>(pattern)) {
        return fits_binary(*n, *find<Binary>(s), std::move(pairs));
      } else {
        add_operands(pattern, s, pairs);
      }
    }
    return true;
  }

  /// Returns the pattern with bound names substituted and constants folded; null when an operation on two constants
  /// does not fold, as on overflow.
  Scalar instance(const Scalar& pattern) const {
    bool fits_type = true;
    Scalar s = instance(pattern, fits_type);
    return fits_type ? s : Scalar();
  }

  bool holds(const Scalar& when) const {
    const Scalar condition = when ? instance(when) : truth(true);
    const int64_t* value = condition ? find_int(condition) : nullptr;
    return value && *value != 0;
  }

 private:
  Scalar instance(const Scalar& pattern, bool& fits_type) const {
    if (Ref<SymVar> name = find_ref<SymVar>(pattern)) return values_.at(name);
    Scalar s = map_children(pattern, [&](const Scalar& child) { return instance(child, fits_type); });
    if (Scalar folded = fold_constants(s)) return folded;
    const auto* b = find<Binary>(s);
    if (b && find<IntImm>(b->a) && find<IntImm>(b->b)) fits_type = false;
    return s;
  }

  bool fits_binary(const Binary& pattern, const Binary& s, Pairs rest) {
    if (pattern.op != s.op) return false;
    const Match before = *this;
    Pairs pairs = rest;
    pairs.insert(pairs.end(), {{pattern.b, s.b}, {pattern.a, s.a}});
    if (fits(std::move(pairs))) return true;
    if (!is_commutative(pattern.op)) return false;
    *this = before;
    rest.insert(rest.end(), {{pattern.b, s.a}, {pattern.a, s.b}});
    return fits(std::move(rest));
  }

  static void add_operands(const Scalar& pattern, const Scalar& s, Pairs& pairs) {
    std::vector<Scalar> parts, others;
    for_each_child(pattern, [&](const Scalar& child) { parts.push_back(child); });
    for_each_child(s, [&](const Scalar& child) { others.push_back(child); });
    for (size_t i = 0; i < parts.size() && i < others.size(); ++i) pairs.emplace_back(parts[i], others[i]);
  }

  bool bind(const Ref<SymVar>& name, const Scalar& s) {
    const Names& n = names();
    const bool is_constant = name == n.a || name == n.b;
    const bool is_condition = name == n.p || name == n.q;
    if (is_constant && !find_int(s)) return false;
    // Unsigned integers wrap around, so the rules do not hold for them.
    if (s->dtype.lanes != 1 || (is_condition ? !s->dtype.is_bool() : !s->dtype.is_int())) return false;
    auto [it, inserted] = values_.try_emplace(name, s);
    return inserted || structural_equal(it->second, s);
  }

  std::unordered_map<Ref<SymVar>, Scalar> values_;
};

// Rules by root operation, so that operations without rules need a single lookup.
struct Index {
  std::array<std::vector<const Rule*>, static_cast<size_t>(BinaryOp::Or) + 1> binary;
  std::vector<const Rule*> negation, selection;

  Index() {
    for (const Rule& r : simplification_rules()) {
      if (const auto* b = find<Binary>(r.from)) binary[static_cast<size_t>(b->op)].push_back(&r);
      if (find<Not>(r.from)) negation.push_back(&r);
      if (find<Select>(r.from)) selection.push_back(&r);
    }
  }
};

}  // namespace

const std::vector<Rule>& simplification_rules() {
  static const Rules all = [] {
    Rules rules;
    add_min_max(rules);
    add_division(rules);
    add_comparisons(rules);
    add_logic(rules);
    add_selection(rules);
    return rules;
  }();
  return all;
}

Scalar apply_rules(const Scalar& s) {
  static const Index index;
  static const std::vector<const Rule*> none;
  const auto* b = find<Binary>(s);
  const auto& rules = b                 ? index.binary[static_cast<size_t>(b->op)]
                      : find<Not>(s)    ? index.negation
                      : find<Select>(s) ? index.selection
                                        : none;
  for (const Rule* rule : rules) {
    Match match;
    if (!match.fits({{rule->from, s}}) || !match.holds(rule->when)) continue;
    if (Scalar other = match.instance(rule->to)) return other;
  }
  return nullptr;
}

}  // namespace sunmao
