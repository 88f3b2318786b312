// Helpers to build sequential loop-level statements: loops, branches, mutable cells. Used with KernelBuilder::steps.
#pragma once
#include "ops/lowering.h"

namespace sunmao {

/// A mutable scalar variable: a local buffer of one element.
class Cell {
 public:
  Cell(const std::string& name, DType dtype) : buffer_(Buffer::make(name, dtype, {int_imm(1)})) {}
  Scalar get() const { return load(buffer_, {int_imm(0)}); }
  Stmt set(Scalar value) const { return BufferStore::make(buffer_, cast_to(buffer_->dtype, value), {int_imm(0)}); }
  const Ref<Buffer>& buffer() const { return buffer_; }

 private:
  Ref<Buffer> buffer_;
};

inline Stmt store(const Ref<Buffer>& buffer, Indices at, const Scalar& value) {
  return BufferStore::make(buffer, cast_to(buffer->dtype, value), std::move(at));
}
inline Stmt in_order(std::vector<Stmt> stmts) { return Seq::make(std::move(stmts)); }
inline Stmt when(Scalar condition, Stmt then_case, Stmt else_case = {}) {
  return IfThenElse::make(std::move(condition), std::move(then_case), std::move(else_case));
}
/// Emits the loop body(0), body(1), …, body(extent - 1).
template <class Body>
Stmt repeat(const std::string& name, const Scalar& extent, const Body& body) {
  Ref<SymVar> i = SymVar::make(name, DType::int_(64));
  return For::make(i, as_index(extent), body(Scalar(i)));
}
/// Emits `body` with a variable that holds `value`, which is computed once.
template <class Body>
Stmt let(const std::string& name, const Scalar& value, const Body& body) {
  Ref<SymVar> v = SymVar::make(name, value->dtype);
  return Bind::make(v, value, body(Scalar(v)));
}
inline Scalar truth(bool value) { return IntImm::make(DType::bool_(), value ? 1 : 0); }
/// Short-circuit logic: the second operand is evaluated only when the first does not decide. `both` evaluates both
/// operands.
inline Scalar and_then(const Scalar& a, const Scalar& b) { return choose(a, b, truth(false)); }
inline Scalar or_else(const Scalar& a, const Scalar& b) { return choose(a, truth(true), b); }
inline Scalar at_most(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::Le, a, b); }
inline Scalar above(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::Gt, a, b); }

/// True when `a` sorts strictly before `b`. NaN counts as the largest value.
Scalar stands_before(const Scalar& a, const Scalar& b, bool descending);

/// A stable argsort of the places 0 … count - 1 in O(count * log(count)) steps.
class PlacesInOrder {
 public:
  explicit PlacesInOrder(Scalar count);
  /// Sorts the places; `before(a, b)` is true when place a must precede place b.
  Stmt sort(const std::function<Scalar(const Scalar& a, const Scalar& b)>& before) const;
  /// Sorts the places; after the statements `compare(a, b)`, `is_before` is true when place a must precede place b.
  Stmt sort(const std::function<Stmt(const Scalar& a, const Scalar& b)>& compare, const Scalar& is_before) const;
  /// Puts only the first `few` of the sorted places in order, by insertion: in O(count * few) steps at most, and in few
  /// more than `count` where the elements have no order.
  Stmt select(int64_t few, const std::function<Scalar(const Scalar& a, const Scalar& b)>& before) const;
  /// Returns the place at position `rank` of the sorted order; valid after `sort`, and after `select` for its ranks.
  Scalar at(const Scalar& rank) const { return as_index(load(order_, {int_imm(0), rank})); }
  /// Returns the buffers to pass as `locals`.
  std::vector<Ref<Buffer>> locals() const { return {order_, left_.buffer(), right_.buffer(), width_.buffer()}; }

 private:
  Scalar place(const Scalar& i) const { return as_index(load(order_, {int_imm(0), i})); }
  Stmt take(const Cell& from, const Scalar& to) const;
  Stmt merge_runs(const std::function<Stmt(const Scalar& middle, const Scalar& high, const Scalar& to)>& step) const;
  Scalar count_;
  Ref<Buffer> order_;  // shape (2, count): the places, and the merge destination
  Cell left_, right_, width_;
};

}  // namespace sunmao
