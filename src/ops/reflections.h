// Reflections: the QR factorisation of a matrix in local memory of a kernel, by Householder's reflections.
#pragma once
#include "ops/matrices.h"

namespace sunmao {

/// After `factorise` the matrix `r` has R in its upper triangle, and below it the vectors v of the reflections
/// 1 - scale v v^T, whose first element is 1. Signs are those of LAPACK: an element of R's diagonal has the sign that
/// the element of the column before it lacks, and keeps it where nothing stands below.
class Reflections {
 public:
  explicit Reflections(const LocalMatrix& r) : Reflections(r, min(r.rows(), r.columns())) {}
  /// The first `count` reflections of a matrix that is factorised.
  Reflections(const LocalMatrix& r, Scalar count)
      : r_(r), count_(std::move(count)), scales_("scales", r.dtype(), r.columns()), norm_("norm", r.dtype()),
        sum_("sum", r.dtype()), last_("last", r.dtype()) {}
  std::vector<Ref<Buffer>> locals() const { return {scales_.buffer(), norm_.buffer(), sum_.buffer(), last_.buffer()}; }

  Stmt factorise() const {
    return repeat("k", count_, [&](const Scalar& k) {
      const Scalar zero = number_like(norm_.get(), 0);
      Stmt length = below(k, "n", [&](const Scalar& i) { return norm_.set(length_of(norm_.get(), r_.at(i, k))); });
      Stmt others = repeat("o", r_.columns() - k - int_imm(1),
                           [&](const Scalar& o) { return reflect(k, r_, k + int_imm(1) + o); });
      return in_order({norm_.set(zero), length, scales_.set(k, zero),
                       when(Binary::make(BinaryOp::Ne, norm_.get(), zero), in_order({choose_reflection(k), others}))});
    });
  }

  /// The order in which reflections are made: `LastFirst` multiplies by their product, Q, `FirstFirst` by Q^T.
  enum class Order : uint8_t { LastFirst, FirstFirst };
  /// Multiplies `q` from the left by the product of the reflections.
  Stmt apply(const LocalMatrix& q, Order order = Order::LastFirst) const {
    return repeat("k", count_, [&](const Scalar& k) {
      const Scalar at = order == Order::FirstFirst ? k : count_ - int_imm(1) - k;
      return repeat("o", q.columns(), [&](const Scalar& j) { return reflect(at, q, j); });
    });
  }

  Stmt take_scales(const Ref<Buffer>& from, const Indices& batch) const {
    return repeat("t", count_,
                  [&](const Scalar& k) { return scales_.set(k, cast_to(r_.dtype(), load(from, place(batch, k)))); });
  }
  Stmt write_scales(const Ref<Buffer>& to, const Indices& batch) const {
    return repeat("t", count_, [&](const Scalar& k) { return store(to, place(batch, k), scales_.at(k)); });
  }

 private:
  static Indices place(Indices batch, const Scalar& k) {
    batch.push_back(k);
    return batch;
  }
  static Scalar length_of(const Scalar& a, const Scalar& b) { return ScalarCall::make("hypot", a->dtype, {a, b}); }
  template <class Body>
  Stmt below(const Scalar& k, const std::string& name, const Body& body) const {
    return repeat(name, r_.rows() - k - int_imm(1), [&](const Scalar& i) { return body(k + int_imm(1) + i); });
  }
  Stmt choose_reflection(const Scalar& k) const {
    const Scalar first = r_.at(k, k), last = last_.get();
    const Scalar length = ScalarCall::make("copysign", first->dtype, {length_of(first, norm_.get()), first});
    return in_order({last_.set(number_like(length, 0) - length), scales_.set(k, divide(last - first, last)),
                     sum_.set(first - last),
                     below(k, "d", [&](const Scalar& i) { return r_.set(i, k, divide(r_.at(i, k), sum_.get())); }),
                     r_.set(k, k, last)});
  }
  /// Reflects column `j` of `x` by the vector in column `k`.
  Stmt reflect(const Scalar& k, const LocalMatrix& x, const Scalar& j) const {
    return in_order(
        {sum_.set(x.at(k, j)),
         below(k, "u", [&](const Scalar& i) { return sum_.set(sum_.get() + r_.at(i, k) * x.at(i, j)); }),
         sum_.set(sum_.get() * scales_.at(k)), x.set(k, j, x.at(k, j) - sum_.get()),
         below(k, "w", [&](const Scalar& i) { return x.set(i, j, x.at(i, j) - sum_.get() * r_.at(i, k)); })});
  }

  const LocalMatrix& r_;
  const Scalar count_;
  const LocalVector scales_;
  const Cell norm_, sum_, last_;
};

}  // namespace sunmao
