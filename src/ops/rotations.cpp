// Singular values and eigenvalues of symmetric matrices, with their vectors, by Jacobi's rotations. Leading axes are
// batch axes. The sign of a vector is open in mathematics; here its element of the greatest magnitude is positive.
#include "ops/factors.h"
#include "ops/ops.h"
#include "ops/reflections.h"

namespace sunmao {
namespace {

constexpr double kUnderflow = 1e-150;  // beside 1; the squares of smaller numbers are 0
constexpr int64_t kMostRounds = 60;    // convergence is quadratic: 6 to 10 rounds are usual

Scalar root(const Scalar& x) { return intrinsic("sqrt", x); }

// A rotation of two columns or rows, and rounds of rotations of all pairs of columns until none is left to do.
class Rotations {
 public:
  explicit Rotations(Scalar columns) : columns_(std::move(columns)) {}
  std::vector<Ref<Buffer>> locals() const {
    return {tangent_.buffer(), cosine_.buffer(), sine_.buffer(), spare_.buffer(), rounds_.buffer(), is_done_.buffer()};
  }

  /// Emits pair(p, q) for all p < q, in rounds, as long as `rotate` is executed in a round.
  template <class Pair>
  Stmt run(const Pair& pair) const {
    Stmt round = repeat("p", columns_, [&](const Scalar& p) {
      return repeat("q", columns_ - p - int_imm(1), [&](const Scalar& q) { return pair(p, p + int_imm(1) + q); });
    });
    const Scalar goes_on = both(equals(is_done_.get(), int_imm(0)), less(rounds_.get(), int_imm(kMostRounds)));
    return in_order(
        {rounds_.set(int_imm(0)), is_done_.set(int_imm(0)),
         While::make(goes_on, in_order({is_done_.set(int_imm(1)), rounds_.set(rounds_.get() + int_imm(1)), round}))});
  }
  /// Chooses the rotation that clears the element `off` between the diagonal elements `first` and `second`, then emits
  /// `body`, which applies it.
  Stmt rotate(const Scalar& first, const Scalar& off, const Scalar& second, const Stmt& body) const {
    const Scalar ratio = divide(second - first, float64(2) * off), t = tangent_.get();
    return in_order({is_done_.set(int_imm(0)), tangent_.set(ratio),
                     tangent_.set(divide(ScalarCall::make("copysign", kFloat64, {float64(1), t}),
                                         magnitude(t) + ScalarCall::make("hypot", kFloat64, {float64(1), t}))),
                     cosine_.set(divide(float64(1), root(float64(1) + t * t))), sine_.set(cosine_.get() * t), body});
  }
  Stmt columns(const LocalMatrix& m, const Scalar& p, const Scalar& q) const {
    return repeat("c", m.rows(), [&](const Scalar& i) {
      return in_order({spare_.set(m.at(i, p)), m.set(i, p, cosine_.get() * spare_.get() - sine_.get() * m.at(i, q)),
                       m.set(i, q, sine_.get() * spare_.get() + cosine_.get() * m.at(i, q))});
    });
  }
  Stmt rows(const LocalMatrix& m, const Scalar& p, const Scalar& q) const {
    return repeat("c", m.columns(), [&](const Scalar& j) {
      return in_order({spare_.set(m.at(p, j)), m.set(p, j, cosine_.get() * spare_.get() - sine_.get() * m.at(q, j)),
                       m.set(q, j, sine_.get() * spare_.get() + cosine_.get() * m.at(q, j))});
    });
  }

 private:
  const Scalar columns_;
  const Cell tangent_{"tangent", kFloat64}, cosine_{"cosine", kFloat64}, sine_{"sine", kFloat64},
      spare_{"turned", kFloat64}, rounds_{"rounds", kInt64}, is_done_{"is_done", kInt64};
};

// The values that belong to the columns of matrices, which are put in order with them.
class Order {
 public:
  explicit Order(const Scalar& count) : count_(count), values_("values", kFloat64, count) {}
  std::vector<Ref<Buffer>> locals() const { return {values_.buffer(), best_.buffer(), spare_.buffer()}; }
  const LocalVector& values() const { return values_; }

  Stmt sort(bool descending, const std::vector<const LocalMatrix*>& matrices) const {
    return repeat("k", count_, [&](const Scalar& k) {
      Stmt look = repeat("p", count_ - k - int_imm(1), [&](const Scalar& p) {
        const Scalar other = k + int_imm(1) + p, a = values_.at(best_.get()), b = values_.at(other);
        return when(descending ? less(a, b) : less(b, a), best_.set(other));
      });
      std::vector<Stmt> swaps{spare_.set(values_.at(k)), values_.set(k, values_.at(best_.get())),
                              values_.set(best_.get(), spare_.get())};
      for (const LocalMatrix* m : matrices) swaps.push_back(m->swap_columns(k, best_.get(), spare_));
      return in_order({best_.set(k), look, when(differs(best_.get(), k), in_order(std::move(swaps)))});
    });
  }
  /// Makes the greatest element of column `j` of `leading` positive, and turns the columns of `all` with it.
  Stmt choose_sign(const LocalMatrix& leading, const Scalar& j, const std::vector<const LocalMatrix*>& all) const {
    Stmt look = repeat("p", leading.rows(), [&](const Scalar& p) {
      return when(less(magnitude(spare_.get()), magnitude(leading.at(p, j))), spare_.set(leading.at(p, j)));
    });
    std::vector<Stmt> turns;
    for (const LocalMatrix* m : all) turns.push_back(m->negate_column(j));
    return in_order({spare_.set(float64(0)), look, when(less(spare_.get(), float64(0)), in_order(std::move(turns)))});
  }

 private:
  const Scalar count_;
  const LocalVector values_;
  const Cell best_{"best", kInt64}, spare_{"swapped", kFloat64};
};

Type infer_svd(const InferInput& in) {
  need_matrices(in, 0);  // C1, C2
  const TensorType& a = in.tensor(0);
  if (!written(a)) {
    const int rank = a.rank == kUnknownRank ? kUnknownRank : a.rank - 1;
    const Type unknown = TensorType::make_unknown(a.dtype, a.rank, a.vdevice);
    return TupleType::make({unknown, TensorType::make_unknown(a.dtype, rank, a.vdevice), unknown});
  }
  const Scalar &rows = rows_of(a), &columns = columns_of(a), least = fewer(in, rows, columns);
  const bool is_full = in.bool_attr("full_matrices");
  return TupleType::make({in_batch_of(a, a.dtype, {rows, is_full ? rows : least}), in_batch_of(a, a.dtype, {least}),
                          in_batch_of(a, a.dtype, {is_full ? columns : least, columns})});
}

// Columns of the matrix, or of its transpose where that has fewer, are rotated until they are orthogonal: a V = U S.
// The reflections that triangulate U S give U, with the columns that are missing where values are 0.
class SingularValues {
 public:
  SingularValues(const Call& call, KernelBuilder& k)
      : a_(k.input("A", call.args[0]->type)), in_(input_of(call)), is_full_(in_.bool_attr("full_matrices")),
        most_(in_.analyzer().simplify(max(rows_of(a_), columns_of(a_)))),
        least_(fewer(in_, rows_of(a_), columns_of(a_))), m_("m", kFloat64, most_, least_, LocalMatrix::Pieces::Columns),
        v_("v", kFloat64, least_, least_, LocalMatrix::Pieces::Columns),
        u_("u", kFloat64, most_, is_full_ ? most_ : least_, LocalMatrix::Pieces::Columns) {
    const std::vector<Type>& results = find<TupleType>(call.type)->fields;
    const char* names[] = {"T_u", "T_s", "T_vh"};
    for (size_t i = 0; i < 3; ++i) outputs_.push_back(k.output(names[i], results[i]));
  }

  void add_to(KernelBuilder& k) const {
    std::vector<Ref<Buffer>> locals{m_.buffer(),     v_.buffer(),      u_.buffer(),  largest_.buffer(),
                                    first_.buffer(), second_.buffer(), off_.buffer()};
    locals = joined(joined(joined(locals, rotations_.locals()), order_.locals()), reflections_.locals());
    k.steps({.name = "svd",
             .spatial = batch_of(a_),
             .reads = {a_},
             .writes = outputs_,
             .locals = locals,
             .body = [&](const Indices& at) { return steps(at); }});
  }

 private:
  /// Returns one of two values, by whether the matrix has at least as many rows as columns.
  Scalar if_tall(const Scalar& then, const Scalar& otherwise) const {
    const Scalar is_tall = in_.analyzer().simplify(at_least(rows_of(a_), columns_of(a_)));
    if (const int64_t* known = find_int(is_tall)) return *known ? then : otherwise;
    return choose(is_tall, then, otherwise);
  }
  Scalar element(const Indices& at, const Scalar& i, const Scalar& j) const {
    return cast_to(kFloat64, load(a_, LocalMatrix::place(at, i, j)));
  }

  Stmt load_scaled(const Indices& at) const {
    Stmt look = each_of(a_, [&](const Scalar& i, const Scalar& j) {
      return largest_.set(max(largest_.get(), magnitude(element(at, i, j))));
    });
    Stmt copy = m_.each([&](const Scalar& i, const Scalar& j) {
      return m_.set(i, j, divide(if_tall(element(at, i, j), element(at, j, i)), largest_.get()));
    });
    return in_order(
        {largest_.set(float64(0)), look, when(equals(largest_.get(), float64(0)), largest_.set(float64(1))), copy});
  }
  Stmt pair(const Scalar& p, const Scalar& q) const {
    Stmt products = repeat("i", most_, [&](const Scalar& i) {
      const Scalar x = m_.at(i, p), y = m_.at(i, q);
      return in_order(
          {first_.set(first_.get() + x * x), second_.set(second_.get() + y * y), off_.set(off_.get() + x * y)});
    });
    // A cosine that sums of a thousand products, as they are rounded, may leave; float32 needs less.
    const double cosine = a_->dtype.bits < 64 ? 0x1p-40 : 32 * kHalfSpacing;
    const Scalar bound = float64(cosine) * root(first_.get()) * root(second_.get()) + float64(kUnderflow);
    Stmt turn = rotations_.rotate(first_.get(), off_.get(), second_.get(),
                                  in_order({rotations_.columns(m_, p, q), rotations_.columns(v_, p, q)}));
    return in_order({first_.set(float64(0)), second_.set(float64(0)), off_.set(float64(0)), products,
                     when(less(bound, magnitude(off_.get())), turn)});
  }
  Stmt measure() const {
    return repeat("c", least_, [&](const Scalar& j) {
      Stmt add =
          repeat("i", most_, [&](const Scalar& i) { return first_.set(first_.get() + m_.at(i, j) * m_.at(i, j)); });
      return in_order({first_.set(float64(0)), add, order_.values().set(j, root(first_.get()))});
    });
  }
  Stmt choose_signs() const {
    Stmt turn = repeat("k", least_, [&](const Scalar& k) {
      return in_order({when(less(m_.at(k, k), float64(0)), u_.negate_column(k)),
                       if_tall_do(order_.choose_sign(u_, k, {&u_, &v_}), order_.choose_sign(v_, k, {&u_, &v_}))});
    });
    Stmt others =
        repeat("k", u_.columns() - least_, [&](const Scalar& k) { return order_.choose_sign(u_, least_ + k, {&u_}); });
    return in_order({turn, others});
  }
  Stmt if_tall_do(const Stmt& then, const Stmt& otherwise) const {
    const Scalar is_tall = in_.analyzer().simplify(at_least(rows_of(a_), columns_of(a_)));
    if (const int64_t* known = find_int(is_tall)) return *known ? then : otherwise;
    return when(is_tall, then, otherwise);
  }
  Stmt write(const Indices& at) const {
    Stmt left = each_of(outputs_[0], [&](const Scalar& i, const Scalar& j) {
      return store(outputs_[0], LocalMatrix::place(at, i, j), if_tall(u_.at(i, j), v_.at(i, j)));
    });
    Stmt values = repeat("k", least_, [&](const Scalar& k) {
      Indices place = at;
      place.push_back(k);
      return store(outputs_[1], place, order_.values().at(k) * largest_.get());
    });
    Stmt right = each_of(outputs_[2], [&](const Scalar& i, const Scalar& j) {
      return store(outputs_[2], LocalMatrix::place(at, i, j), if_tall(v_.at(j, i), u_.at(j, i)));
    });
    return in_order({left, values, right});
  }
  Stmt steps(const Indices& at) const {
    return in_order({load_scaled(at), v_.set_to_identity(),
                     rotations_.run([&](const Scalar& p, const Scalar& q) { return pair(p, q); }), measure(),
                     order_.sort(true, {&m_, &v_}), reflections_.factorise(), u_.set_to_identity(),
                     reflections_.apply(u_), choose_signs(), write(at)});
  }

  const Ref<Buffer> a_;
  const InferInput in_;
  const bool is_full_;
  const Scalar most_, least_;
  const LocalMatrix m_, v_, u_;
  std::vector<Ref<Buffer>> outputs_;
  const Rotations rotations_{least_};
  const Order order_{least_};
  const Reflections reflections_{m_};
  const Cell largest_{"largest", kFloat64}, first_{"first", kFloat64}, second_{"second", kFloat64},
      off_{"off", kFloat64};
};

Ref<BaseFunc> lower_svd(const Call& call) {
  KernelBuilder k("svd");
  SingularValues(call, k).add_to(k);
  return std::move(k).finish();
}

Type infer_eigh(const InferInput& in) {
  need_square(in, 0);  // C1, C2
  const TensorType& a = in.tensor(0);
  if (!written(a)) {
    const int rank = a.rank == kUnknownRank ? kUnknownRank : a.rank - 1;
    return TupleType::make({TensorType::make_unknown(a.dtype, rank, a.vdevice), in.type(0)});
  }
  return TupleType::make({in_batch_of(a, a.dtype, {columns_of(a)}), in.type(0)});
}

Ref<BaseFunc> lower_eigh(const Call& call) {
  KernelBuilder k("eigh");
  const std::vector<Type>& results = find<TupleType>(call.type)->fields;
  Ref<Buffer> a = k.input("A", call.args[0]->type), values = k.output("T_values", results[0]),
              vectors = k.output("T_vectors", results[1]);
  const Scalar& size = columns_of(a);
  const bool upper = input_of(call).bool_attr("upper");
  const LocalMatrix m("m", kFloat64, size, size), v("v", kFloat64, size, size, LocalMatrix::Pieces::Columns);
  const Rotations rotations(size);
  const Order order(size);
  const Cell largest("largest", kFloat64);
  const auto pair = [&](const Scalar& p, const Scalar& q) {
    Stmt turn = in_order({rotations.columns(m, p, q), rotations.rows(m, p, q), m.set(p, q, float64(0)),
                          m.set(q, p, float64(0)), rotations.columns(v, p, q)});
    return when(less(float64(kHalfSpacing) * largest.get(), magnitude(m.at(p, q))),
                rotations.rotate(m.at(p, p), m.at(p, q), m.at(q, q), turn));
  };
  k.steps({.name = "eigh",
           .spatial = batch_of(a),
           .reads = {a},
           .writes = {values, vectors},
           .locals = joined(joined({m.buffer(), v.buffer(), largest.buffer()}, rotations.locals()), order.locals()),
           .body = [&](const Indices& at) {
             Stmt copy = m.each([&](const Scalar& i, const Scalar& j) {
               const Scalar low = min(i, j), high = max(i, j);
               const Scalar element = cast_to(
                   kFloat64, load(a, upper ? LocalMatrix::place(at, low, high) : LocalMatrix::place(at, high, low)));
               return in_order({m.set(i, j, element), largest.set(max(largest.get(), magnitude(m.at(i, j))))});
             });
             Stmt take = repeat("k", size, [&](const Scalar& i) { return order.values().set(i, m.at(i, i)); });
             Stmt signs = repeat("k", size, [&](const Scalar& i) { return order.choose_sign(v, i, {&v}); });
             Stmt write = repeat("k", size, [&](const Scalar& i) {
               Indices place = at;
               place.push_back(i);
               return store(values, place, order.values().at(i));
             });
             return in_order({largest.set(float64(0)), copy, v.set_to_identity(), rotations.run(pair), take,
                              order.sort(false, {&v}), signs, v.write(vectors, at), write});
           }});
  return std::move(k).finish();
}

OpSample sample_svd(Sampler& s) { return {{sampled_matrices(s)}, {{"full_matrices", s.chance(50)}}}; }

OpSample sample_eigh(Sampler& s) {
  const int64_t size = s.between(1, 4);
  Dims dims = sizes({size, size});
  if (s.chance(40)) dims.insert(dims.begin(), int_imm(s.between(0, 3)));
  return {{s.tensor({.dims = dims, .dtype = kFloat64, .values = Values::Unit})}, {{"upper", s.chance(50)}}};
}

}  // namespace

void register_rotation_ops(OpTable& ops) {
  ops.add({.name = "linalg.svd",
           .summary =
               "Matrices U and Vh with orthonormal columns and rows, and singular values S, greatest first, with "
               "U diag(S) Vh = a. The greatest element of each column of U is positive.",
           .params = {{"a", "float tensor of matrices (..., m, n) (C1, C2)"},
                      bool_param("full_matrices", "m columns of U and n rows of Vh in place of min(m, n)", true)},
           .constraints = {"C1: the dtype is a float", "C2: the rank is at least 2"},
           .infer = infer_svd,
           .lower = lower_svd,
           .sample = sample_svd});
  ops.add({.name = "linalg.eigh",
           .summary = "The eigenvalues of symmetric matrices, least first, and their vectors as columns, of which the "
                      "greatest element is positive.",
           .params = {{"a", "float tensor of square matrices (..., n, n), of which one half is read (C1, C2)"},
                      bool_param("upper", "the upper half is read, else the lower one", false)},
           .constraints = {"C1: the dtype is a float", "C2: the matrices are square"},
           .infer = infer_eigh,
           .lower = lower_eigh,
           .sample = sample_eigh});
}

}  // namespace sunmao
