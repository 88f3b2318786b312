#include "sym/fold.h"

#include <algorithm>

namespace sunmao {

int64_t floor_div(int64_t a, int64_t b) {
  int64_t q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}
int64_t floor_mod(int64_t a, int64_t b) {
  int64_t r = a % b;
  return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
}

std::optional<int64_t> evaluate(BinaryOp op, int64_t a, int64_t b) {
  int64_t r;
  bool divides =
      op == BinaryOp::Div || op == BinaryOp::TruncMod || op == BinaryOp::FloorDiv || op == BinaryOp::FloorMod;
  if (divides && (b == 0 || (b == -1 && a == Interval::kMin))) return std::nullopt;
  switch (op) {
    case BinaryOp::Add: return __builtin_add_overflow(a, b, &r) ? std::nullopt : std::optional(r);
    case BinaryOp::Sub: return __builtin_sub_overflow(a, b, &r) ? std::nullopt : std::optional(r);
    case BinaryOp::Mul: return __builtin_mul_overflow(a, b, &r) ? std::nullopt : std::optional(r);
    case BinaryOp::Div: return a / b;
    case BinaryOp::TruncMod: return a % b;
    case BinaryOp::FloorDiv: return floor_div(a, b);
    case BinaryOp::FloorMod: return floor_mod(a, b);
    case BinaryOp::Min: return std::min(a, b);
    case BinaryOp::Max: return std::max(a, b);
    case BinaryOp::Eq: return a == b;
    case BinaryOp::Ne: return a != b;
    case BinaryOp::Lt: return a < b;
    case BinaryOp::Le: return a <= b;
    case BinaryOp::Gt: return a > b;
    case BinaryOp::Ge: return a >= b;
    case BinaryOp::And: return a != 0 && b != 0;
    case BinaryOp::Or: return a != 0 || b != 0;
  }
  return std::nullopt;
}

bool fits(int64_t value, DType dtype) {
  if (!dtype.is_int() || dtype.bits >= 64) return true;
  const int64_t limit = int64_t{1} << (dtype.bits - 1);
  return value >= -limit && value < limit;
}

bool literal_fits(int64_t value, DType dtype) {
  if (!dtype.is_uint() || dtype.bits >= 64) return fits(value, dtype);
  return value >= -(int64_t{1} << (dtype.bits - 1)) && value < int64_t{1} << dtype.bits;
}

namespace {

Scalar fold_binary(const Binary& n) {
  const int64_t *a = find_int(n.a), *b = find_int(n.b);
  bool is_signed = n.a->dtype.is_int() || n.a->dtype.is_bool();
  if (a && b && is_signed) {
    std::optional<int64_t> value = evaluate(n.op, *a, *b);
    return value && fits(*value, n.dtype) ? IntImm::make(n.dtype, *value, n.span) : nullptr;
  }
  if (n.op == BinaryOp::And && (a || b)) return *(a ? a : b) != 0 ? (a ? n.b : n.a) : (a ? n.a : n.b);
  if (n.op == BinaryOp::Or && (a || b)) return *(a ? a : b) != 0 ? (a ? n.a : n.b) : (a ? n.b : n.a);
  return nullptr;
}

}  // namespace

Scalar fold_constants(const Scalar& s) {
  if (const auto* n = find<Binary>(s)) return fold_binary(*n);
  if (const auto* n = find<Not>(s)) {
    const int64_t* a = find_int(n->a);
    return a ? IntImm::make(n->dtype, *a == 0, n->span) : nullptr;
  }
  if (const auto* n = find<Select>(s)) {
    const int64_t* c = find_int(n->condition);
    return c ? (*c != 0 ? n->then_value : n->else_value) : nullptr;
  }
  if (const auto* n = find<Cast>(s)) {
    if (n->value->dtype == n->dtype) return n->value;
    const int64_t* v = find_int(n->value);
    return v && n->dtype.is_int() && fits(*v, n->dtype) ? IntImm::make(n->dtype, *v, n->span) : nullptr;
  }
  if (const auto* n = find<ScalarCall>(s); n && n->name == "if_then_else" && n->args.size() == 3) {
    const int64_t* c = find_int(n->args[0]);
    return c ? n->args[*c != 0 ? 1 : 2] : nullptr;
  }
  return nullptr;
}

Interval add(Interval a, Interval b) {
  Interval r;
  if (a.lo == Interval::kMin || b.lo == Interval::kMin || __builtin_add_overflow(a.lo, b.lo, &r.lo))
    r.lo = Interval::kMin;
  if (a.hi == Interval::kMax || b.hi == Interval::kMax || __builtin_add_overflow(a.hi, b.hi, &r.hi))
    r.hi = Interval::kMax;
  return r;
}

Interval multiply(Interval a, Interval b) {
  // 0 times an infinite bound is 0; other products with an infinite bound are infinite, with the sign of the product.
  auto product = [](int64_t x, int64_t y) {
    if (x == 0 || y == 0) return int64_t{0};
    bool infinite = x == Interval::kMin || x == Interval::kMax || y == Interval::kMin || y == Interval::kMax;
    int64_t r;
    if (infinite || __builtin_mul_overflow(x, y, &r)) return (x < 0) != (y < 0) ? Interval::kMin : Interval::kMax;
    return r;
  };
  auto [lo, hi] = std::minmax({product(a.lo, b.lo), product(a.lo, b.hi), product(a.hi, b.lo), product(a.hi, b.hi)});
  return {lo, hi};
}

}  // namespace sunmao
