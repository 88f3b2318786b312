// What ops on batches of matrices share: checks of their types, and matrices in memory of a kernel's own.
#pragma once
#include "ops/statements.h"

namespace sunmao {

/// Fails unless argument `i` is a float tensor (E0306) of rank 2 or more (E0307), whose last two axes are the rows and
/// columns of matrices; `need_square` also if these differ (E0309).
void need_matrices(const InferInput& in, size_t i);
void need_square(const InferInput& in, size_t i);
/// Returns the type of one tensor of a batch with the leading dimensions of `a`, and own ones behind them.
Type in_batch_of(const TensorType& a, DType dtype, std::vector<Scalar> own);

/// A matrix in local memory, with statements on its rows and columns. Which of these lie in one piece decides how fast
/// loops along them are.
class LocalMatrix {
 public:
  enum class Pieces : uint8_t { Rows, Columns };
  LocalMatrix(const std::string& name, DType dtype, Scalar rows, Scalar columns, Pieces pieces = Pieces::Rows)
      : rows_(std::move(rows)), columns_(std::move(columns)), pieces_(pieces),
        buffer_(
            Buffer::make(name, dtype, pieces == Pieces::Rows ? Indices{rows_, columns_} : Indices{columns_, rows_})) {}
  const Ref<Buffer>& buffer() const { return buffer_; }
  DType dtype() const { return buffer_->dtype; }
  const Scalar& rows() const { return rows_; }
  const Scalar& columns() const { return columns_; }
  Scalar at(const Scalar& i, const Scalar& j) const { return load(buffer_, indices(i, j)); }
  Stmt set(const Scalar& i, const Scalar& j, const Scalar& value) const { return store(buffer_, indices(i, j), value); }
  Stmt copy(const Ref<Buffer>& from, const Indices& batch) const {
    return each(
        [&](const Scalar& i, const Scalar& j) { return set(i, j, cast_to(dtype(), load(from, place(batch, i, j)))); });
  }
  Stmt write(const Ref<Buffer>& to, const Indices& batch) const {
    return each([&](const Scalar& i, const Scalar& j) { return store(to, place(batch, i, j), at(i, j)); });
  }
  Stmt set_to_identity() const {
    return each([&](const Scalar& i, const Scalar& j) { return set(i, j, Cast::make(dtype(), equals(i, j))); });
  }
  template <class Body>
  Stmt each(const Body& body) const {
    return repeat("i", rows_, [&](const Scalar& i) { return row("j", [&](const Scalar& j) { return body(i, j); }); });
  }
  template <class Body>
  Stmt row(const std::string& name, const Body& body) const {
    return repeat(name, columns_, body);
  }
  Stmt swap_rows(const Scalar& a, const Scalar& b, const Cell& spare) const {
    return row("s", [&](const Scalar& j) {
      return in_order({spare.set(at(a, j)), set(a, j, at(b, j)), set(b, j, spare.get())});
    });
  }
  Stmt swap_columns(const Scalar& a, const Scalar& b, const Cell& spare) const {
    return repeat("s", rows_, [&](const Scalar& i) {
      return in_order({spare.set(at(i, a)), set(i, a, at(i, b)), set(i, b, spare.get())});
    });
  }
  Stmt negate_column(const Scalar& j) const {
    return repeat("g", rows_, [&](const Scalar& i) { return set(i, j, number_like(at(i, j), -1) * at(i, j)); });
  }
  /// row i -= factor * row k
  Stmt subtract(const Scalar& i, const Scalar& k, const Scalar& factor) const {
    return row("e", [&](const Scalar& j) { return set(i, j, at(i, j) - factor * at(k, j)); });
  }

  /// Returns the indices of an element of a matrix in a batch.
  static Indices place(Indices batch, const Scalar& i, const Scalar& j) {
    batch.push_back(i);
    batch.push_back(j);
    return batch;
  }

 private:
  Indices indices(const Scalar& i, const Scalar& j) const {
    return pieces_ == Pieces::Rows ? Indices{i, j} : Indices{j, i};
  }
  Scalar rows_, columns_;
  Pieces pieces_;
  Ref<Buffer> buffer_;
};

/// A vector in local memory.
class LocalVector {
 public:
  LocalVector(const std::string& name, DType dtype, Scalar size)
      : buffer_(Buffer::make(name, dtype, {std::move(size)})) {}
  const Ref<Buffer>& buffer() const { return buffer_; }
  Scalar at(const Scalar& i) const { return load(buffer_, {i}); }
  Stmt set(const Scalar& i, const Scalar& value) const { return store(buffer_, {i}, value); }

 private:
  Ref<Buffer> buffer_;
};

/// Returns the leading dimensions of a buffer of matrices.
inline std::vector<Scalar> batch_of(const Ref<Buffer>& a) { return {a->shape.begin(), a->shape.end() - 2}; }

}  // namespace sunmao
