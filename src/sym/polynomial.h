// Polynomial: an integer sum of products of atoms, the canonical form behind Analyzer. Atoms are numbers that the
// Analyzer hands out; overflow makes a polynomial invalid, and the Analyzer then keeps the expression as written.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace sunmao {

class Polynomial {
 public:
  /// Atom numbers, ascending, an atom repeated for its power; empty for the constant term.
  using Monomial = std::vector<int>;
  struct Order {  // higher degree first, then by atoms
    bool operator()(const Monomial& a, const Monomial& b) const {
      return a.size() != b.size() ? a.size() > b.size() : a < b;
    }
  };
  using Terms = std::map<Monomial, int64_t, Order>;

  static Polynomial constant(int64_t value);
  static Polynomial of_atom(int atom);

  const Terms& terms() const { return terms_; }
  bool is_valid() const { return valid_; }
  /// The value when there is no atom in it.
  std::optional<int64_t> as_constant() const;

  Polynomial plus(const Polynomial& other, int64_t factor = 1) const;
  Polynomial times(const Polynomial& other) const;
  /// this / divisor when every term divides exactly, the divisor being one term; the rest stays in `remainder`.
  Polynomial split(const Monomial& divisor, int64_t coefficient, Polynomial* remainder) const;
  friend bool operator==(const Polynomial& a, const Polynomial& b) { return a.terms_ == b.terms_; }

 private:
  void add_term(const Monomial& m, int64_t coefficient);
  Terms terms_;
  bool valid_ = true;
};

}  // namespace sunmao
