// Polynomial: an integer sum of products of atoms, the canonical form used by Analyzer. Atoms are numbers assigned by
// the Analyzer. Overflow, and a product of sums of more than 256 pairs of terms, make a polynomial invalid.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace sunmao {

class Polynomial {
 public:
  /// Atom numbers in ascending order, repeated for powers; empty for the constant term.
  using Monomial = std::vector<int>;
  struct Order {  // higher degree first, then by atom numbers
    bool operator()(const Monomial& a, const Monomial& b) const {
      return a.size() != b.size() ? a.size() > b.size() : a < b;
    }
  };
  using Terms = std::map<Monomial, int64_t, Order>;

  static Polynomial constant(int64_t value);
  static Polynomial of_atom(int atom);

  const Terms& terms() const { return terms_; }
  bool is_valid() const { return valid_; }
  /// Returns the value of a polynomial without atoms, else nullopt.
  std::optional<int64_t> as_constant() const;

  Polynomial plus(const Polynomial& other, int64_t factor = 1) const;
  Polynomial times(const Polynomial& other) const;
  /// Returns the quotient of the terms divisible by the single term `divisor` * `coefficient`; the others, and with
  /// coefficient -1 all terms, go to `remainder`.
  Polynomial split(const Monomial& divisor, int64_t coefficient, Polynomial* remainder) const;
  friend bool operator==(const Polynomial& a, const Polynomial& b) { return a.terms_ == b.terms_; }

 private:
  void add_term(const Monomial& m, int64_t coefficient);
  Terms terms_;
  bool valid_ = true;
};

}  // namespace sunmao
