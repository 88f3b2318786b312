#include "sym/polynomial.h"

#include <algorithm>

namespace sunmao {

Polynomial Polynomial::constant(int64_t value) {
  Polynomial p;
  p.add_term({}, value);
  return p;
}

Polynomial Polynomial::of_atom(int atom) {
  Polynomial p;
  p.add_term({atom}, 1);
  return p;
}

std::optional<int64_t> Polynomial::as_constant() const {
  if (terms_.empty()) return 0;
  if (terms_.size() == 1 && terms_.begin()->first.empty()) return terms_.begin()->second;
  return std::nullopt;
}

void Polynomial::add_term(const Monomial& m, int64_t coefficient) {
  int64_t& slot = terms_[m];
  if (__builtin_add_overflow(slot, coefficient, &slot)) valid_ = false;
  if (slot == 0) terms_.erase(m);
}

Polynomial Polynomial::plus(const Polynomial& other, int64_t factor) const {
  Polynomial sum = *this;
  sum.valid_ = valid_ && other.valid_;
  for (const auto& [m, c] : other.terms_) {
    int64_t scaled;
    if (__builtin_mul_overflow(c, factor, &scaled))
      sum.valid_ = false;
    else
      sum.add_term(m, scaled);
  }
  return sum;
}

Polynomial Polynomial::times(const Polynomial& other) const {
  constexpr size_t kMaxTerms = 256;  // larger products are left as written
  Polynomial product;
  product.valid_ = valid_ && other.valid_ && terms_.size() * other.terms_.size() <= kMaxTerms;
  if (!product.valid_) return product;
  for (const auto& [m, c] : terms_) {
    for (const auto& [n, d] : other.terms_) {
      Monomial joined;
      std::merge(m.begin(), m.end(), n.begin(), n.end(), std::back_inserter(joined));
      int64_t coefficient;
      if (__builtin_mul_overflow(c, d, &coefficient))
        product.valid_ = false;
      else
        product.add_term(joined, coefficient);
    }
  }
  return product;
}

Polynomial Polynomial::split(const Monomial& divisor, int64_t coefficient, Polynomial* remainder) const {
  Polynomial quotient;
  for (const auto& [m, c] : terms_) {
    if (coefficient != -1 && c % coefficient == 0 &&
        std::includes(m.begin(), m.end(), divisor.begin(), divisor.end())) {
      Monomial rest;
      std::set_difference(m.begin(), m.end(), divisor.begin(), divisor.end(), std::back_inserter(rest));
      quotient.add_term(rest, c / coefficient);
    } else {
      remainder->add_term(m, c);
    }
  }
  return quotient;
}

}  // namespace sunmao
