// How lowerings write statements that run in their order: loops, branches, variables. For KernelBuilder::steps.
#pragma once
#include "ops/lowering.h"

namespace sunmao {

/// A variable of the loop level: a buffer of one element.
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
/// body(0), body(1), … body(extent - 1).
template <class Body>
Stmt repeat(const std::string& name, const Scalar& extent, const Body& body) {
  Ref<SymVar> i = SymVar::make(name, DType::int_(64));
  return For::make(i, as_index(extent), body(Scalar(i)));
}
/// body(v) with v standing for `value`, which is computed once.
template <class Body>
Stmt let(const std::string& name, const Scalar& value, const Body& body) {
  Ref<SymVar> v = SymVar::make(name, value->dtype);
  return Bind::make(v, value, body(Scalar(v)));
}
inline Scalar truth(bool value) { return IntImm::make(DType::bool_(), value ? 1 : 0); }
/// Whether both hold; the second is not looked at where the first does not. `both` evaluates either.
inline Scalar and_then(const Scalar& a, const Scalar& b) { return choose(a, b, truth(false)); }
inline Scalar or_else(const Scalar& a, const Scalar& b) { return choose(a, truth(true), b); }
inline Scalar at_most(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::Le, a, b); }
inline Scalar above(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::Gt, a, b); }

/// Whether `a` stands strictly before `b` in order. NaN counts as the largest.
Scalar stands_before(const Scalar& a, const Scalar& b, bool descending);

/// The places 0 … count - 1 in order, in O(count * log(count)) steps; places that neither stands before the other keep
/// their order.
class PlacesInOrder {
 public:
  explicit PlacesInOrder(Scalar count);
  /// Brings the places in order; `before(a, b)` says whether place a has to stand before place b.
  Stmt sort(const std::function<Scalar(const Scalar& a, const Scalar& b)>& before) const;
  /// The place that stands at `rank`, after `sort`.
  Scalar at(const Scalar& rank) const { return as_index(load(order_, {int_imm(0), rank})); }
  /// Memory for `locals`.
  std::vector<Ref<Buffer>> locals() const { return {order_, left_.buffer(), right_.buffer(), width_.buffer()}; }

 private:
  Scalar count_;
  Ref<Buffer> order_;  // (2, count): the places, and those that are being merged
  Cell left_, right_, width_;
};

}  // namespace sunmao
