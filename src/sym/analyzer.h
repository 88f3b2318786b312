// Analyzer: what can be said of scalars: canonical form, ranges, proofs. It holds what is known of symbols and nothing
// global; it says yes only when it is so.
#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>

#include "sym/scalar.h"

namespace sunmao {

/// Both ends included; the extremes of int64 stand for "no bound".
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

  /// States that lo <= var <= hi; a second statement narrows the first.
  void assume(const Ref<SymVar>& var, Interval range);

  /// The canonical form: sums of products, folded constants, division and remainder reduced where ranges allow.
  /// Equal scalars of integers give structurally equal results; other types are folded and otherwise kept.
  Scalar simplify(const Scalar& s);
  Interval range(const Scalar& s);
  bool can_prove_equal(const Scalar& a, const Scalar& b);
  /// Whether a boolean scalar holds for every value that the assumptions allow.
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
