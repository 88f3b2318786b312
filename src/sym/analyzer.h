// Analyzer: canonical forms, ranges and proofs for scalars, under assumptions about symbols. Where integer arithmetic
// and casts do not overflow, it proves only what holds.
#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>

#include "sym/scalar.h"

namespace sunmao {

/// A closed interval; the minimum and maximum of int64 stand for unbounded.
struct Interval {
  static constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  int64_t lo = kMin, hi = kMax;
  bool is_point() const { return lo == hi; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

enum class Proof { Yes, No, Unknown };

class Polynomial;

class Analyzer {
 public:
  Analyzer();
  ~Analyzer();
  Analyzer(const Analyzer&) = delete;
  Analyzer& operator=(const Analyzer&) = delete;

  /// Assumes lo <= var <= hi; further assumptions intersect with it.
  void assume(const Ref<SymVar>& var, Interval range);

  /// Returns an integer of one lane (other than bool) as a sum of products in canonical order, with folded constants,
  /// and with divisions and remainders reduced by ranges. Any other scalar is simplified operand by operand: constants
  /// folded, comparisons decided by ranges, rules.h applied.
  Scalar simplify(const Scalar& s);
  Interval range(const Scalar& s);
  bool can_prove_equal(const Scalar& a, const Scalar& b);
  /// Proves or refutes a boolean scalar for all values that the assumptions allow; Unknown when it can do neither.
  Proof prove(const Scalar& condition);
  bool can_prove(const Scalar& condition) { return prove(condition) == Proof::Yes; }

 private:
  friend class Polynomial;
  Polynomial polynomial(const Scalar& s);
  Polynomial new_polynomial(const Scalar& s);
  Scalar new_simplified(const Scalar& s);
  Polynomial atom(const Scalar& s);
  Polynomial divide(const Polynomial& a, const Polynomial& b, DType dtype);
  Polynomial modulo(const Polynomial& a, const Polynomial& b, DType dtype);
  Polynomial by_rules(const Scalar& s);
  Polynomial join_divisions(const Polynomial& p);
  Scalar to_scalar(const Polynomial& p, DType dtype);
  Interval range(const Polynomial& p);
  Interval atom_range(const Scalar& s);
  Scalar simplify_node(const Scalar& s);
  Scalar simplify_compare(const Scalar& s);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sunmao
