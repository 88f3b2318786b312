#include "passes/loop/loop_writing.h"

#include "passes/loop/parallel_condition.h"
#include "sym/fold.h"

namespace sunmao {
namespace {

Stmt loop_of(const std::string& name, const Scalar& extent, ForKind kind, const LoopBody& body) {
  if (const int64_t* n = find_int(extent); n && *n == 1 && kind != ForKind::Vectorized) return body(int_imm(0));
  Ref<SymVar> var = SymVar::make(name);
  return For::make(var, extent, body(var), kind);
}

Scalar folded(BinaryOp op, const Scalar& a, const Scalar& b) {
  Scalar made = Binary::make(op, a, b);
  Scalar short_form = fold_constants(made);
  return short_form ? short_form : made;
}

bool is_value(const Scalar& s, int64_t value) {
  const int64_t* v = find_int(s);
  return v && *v == value;
}

}  // namespace

Stmt serial_loop(const std::string& name, const Scalar& extent, const LoopBody& body) {
  return loop_of(name, extent, ForKind::Serial, body);
}
Stmt unrolled_loop(const std::string& name, int64_t extent, const LoopBody& body) {
  return loop_of(name, int_imm(extent), ForKind::Unrolled, body);
}
Stmt vector_loop(const std::string& name, int64_t lanes, const LoopBody& body) {
  return loop_of(name, int_imm(lanes), lanes > 1 ? ForKind::Vectorized : ForKind::Serial, body);
}

Stmt parallel_loop(const std::string& name, const Scalar& extent, const Scalar& worth_it, const LoopBody& body) {
  if (is_value(extent, 1) || is_value(worth_it, 0)) return serial_loop(name, extent, body);
  Ref<SymVar> var = SymVar::make(name);
  return AttrStmt::make({}, kParallelIf, worth_it, For::make(var, extent, body(var), ForKind::Parallel));
}

Stmt named(const std::string& name, Scalar value, const LoopBody& body) {
  if (find_int(value)) return body(value);
  const Ref<SymVar> variable = SymVar::make(name, value->dtype);
  Stmt inside = body(variable);
  return Bind::make(variable, std::move(value), std::move(inside));
}

bool is_zero_number(const Scalar& s) {
  const auto* real = find<FloatImm>(s);
  return real ? real->value == 0 : is_zero(s);
}

Scalar ceil_div(const Scalar& a, int64_t b) {
  if (b == 1) return a;
  return folded(BinaryOp::FloorDiv, sum(a, int_imm(b - 1)), int_imm(b));
}
Scalar compare(BinaryOp op, const Scalar& a, const Scalar& b) { return folded(op, a, b); }

Scalar sum(const Scalar& a, const Scalar& b) {
  if (is_value(a, 0)) return b;
  if (is_value(b, 0)) return a;
  return folded(BinaryOp::Add, a, b);
}

Scalar difference(const Scalar& a, const Scalar& b) { return is_value(b, 0) ? a : folded(BinaryOp::Sub, a, b); }

Scalar product(const Scalar& a, const Scalar& b) {
  if (is_value(a, 1)) return b;
  if (is_value(b, 1)) return a;
  if (is_value(a, 0)) return a;
  if (is_value(b, 0)) return b;
  return folded(BinaryOp::Mul, a, b);
}

}  // namespace sunmao
