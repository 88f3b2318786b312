#include "sym/scalar.h"

#include "support/diagnostic.h"
#include "sym/fold.h"

namespace sunmao {
namespace {

// Returns a literal converted to the dtype of the other operand: `n + 1` with an int32 `n`, `x * 2` with a float `x`.
// Null when `s` is no literal that fits it.
Scalar adapt(const Scalar& s, DType to) {
  if (const auto* i = find<IntImm>(s)) {
    if (to.lanes != 1 || (to.is_integral() && !literal_fits(i->value, to))) return nullptr;
    return to.is_float() ? FloatImm::make(to, static_cast<double>(i->value), s->span)
                         : IntImm::make(to, i->value, s->span);
  }
  if (const auto* f = find<FloatImm>(s); f && to.is_float() && to.lanes == 1)
    return FloatImm::make(to, f->value, s->span);
  return nullptr;
}

bool is_literal(const Scalar& s) { return find<IntImm>(s) || find<FloatImm>(s); }

}  // namespace

bool is_comparison(BinaryOp op) { return op >= BinaryOp::Eq && op <= BinaryOp::Ge; }
bool is_logical(BinaryOp op) { return op == BinaryOp::And || op == BinaryOp::Or; }

const char* name_of(BinaryOp op) {
  static constexpr const char* kNames[] = {"add", "sub", "mul", "div", "truncmod", "floordiv", "floormod", "min", "max",
                                           "eq",  "ne",  "lt",  "le",  "gt",       "ge",       "and",      "or"};
  return kNames[static_cast<int>(op)];
}

Scalar IntImm::make(DType dtype, int64_t value, Span span) {
  SUNMAO_CHECK((dtype.is_integral() || dtype.code == TypeCode::Handle) && dtype.lanes == 1, "integer immediate of {}",
               dtype.str());
  return Scalar(new IntImm(dtype, value, std::move(span)));
}
Scalar FloatImm::make(DType dtype, double value, Span span) {
  SUNMAO_CHECK(dtype.is_float() && dtype.lanes == 1, "float immediate of {}", dtype.str());
  return Scalar(new FloatImm(dtype, value, std::move(span)));
}
Scalar StringImm::make(std::string value, Span span) {
  return Scalar(new StringImm(std::move(value), std::move(span)));
}
Ref<SymVar> SymVar::make(std::string name, DType dtype, Span span) {
  return Ref<SymVar>(new SymVar(std::move(name), dtype, {}, std::move(span)));
}
Ref<SymVar> SymVar::make_handle(std::string name, Pointee pointee, Span span) {
  return Ref<SymVar>(new SymVar(std::move(name), DType::handle(), std::move(pointee), std::move(span)));
}
Ref<SymVar> SymVar::renamed(std::string new_name) const {
  return Ref<SymVar>(new SymVar(std::move(new_name), dtype, pointee, span));
}

Scalar Binary::make(BinaryOp op, Scalar a, Scalar b, Span span) {
  SUNMAO_CHECK(a && b);
  if (a->dtype != b->dtype) {
    // The literal adapts to the other operand; of two literals, the integer does.
    bool adapt_a = is_literal(a) && (!is_literal(b) || find<IntImm>(a));
    if (Scalar t = adapt(adapt_a ? a : b, adapt_a ? b->dtype : a->dtype)) (adapt_a ? a : b) = t;
  }
  if (a->dtype != b->dtype && a->dtype.is_int() && b->dtype.is_int() && a->dtype.lanes == b->dtype.lanes) {
    DType wide = a->dtype.bits > b->dtype.bits ? a->dtype : b->dtype;
    if (a->dtype != wide) a = Cast::make(wide, a);
    if (b->dtype != wide) b = Cast::make(wide, b);
  }
  if (a->dtype != b->dtype)
    fail("E0301", span,
         fmt::format("{}: operands differ in type: {} and {}", name_of(op), a->dtype.str(), b->dtype.str()),
         "cast one of them to the type of the other");
  DType result = is_comparison(op) || is_logical(op) ? DType::bool_().with_lanes(a->dtype.all_lanes()) : a->dtype;
  return Scalar(new Binary(op, result, std::move(a), std::move(b), std::move(span)));
}

Scalar Not::make(Scalar a, Span span) { return Scalar(new Not(std::move(a), std::move(span))); }

Scalar Cast::make(DType dtype, Scalar value, Span span) {
  SUNMAO_CHECK(dtype.lanes == value->dtype.lanes && dtype.is_scalable == value->dtype.is_scalable,
               "a cast keeps the lanes");
  return Scalar(new Cast(dtype, std::move(value), std::move(span)));
}

Scalar Select::make(Scalar condition, Scalar then_value, Scalar else_value, Span span) {
  if (then_value->dtype != else_value->dtype) {
    if (Scalar t = adapt(then_value, else_value->dtype))
      then_value = t;
    else if (Scalar e = adapt(else_value, then_value->dtype))
      else_value = e;
  }
  if (then_value->dtype != else_value->dtype)
    fail("E0301", span,
         fmt::format("select: branches differ in type: {} and {}", then_value->dtype.str(), else_value->dtype.str()),
         "cast one of them to the type of the other");
  return Scalar(new Select(std::move(condition), std::move(then_value), std::move(else_value), std::move(span)));
}
Scalar Ramp::make(Scalar base, Scalar stride, Lanes lanes, Span span) {
  SUNMAO_CHECK((lanes.count > 1 || lanes.is_scalable) && base->dtype.lanes == 1 && base->dtype == stride->dtype);
  return Scalar(new Ramp(std::move(base), std::move(stride), lanes, std::move(span)));
}
Scalar Broadcast::make(Scalar value, Lanes lanes, Span span) {
  SUNMAO_CHECK((lanes.count > 1 || lanes.is_scalable) && value->dtype.lanes == 1);
  return Scalar(new Broadcast(std::move(value), lanes, std::move(span)));
}
Scalar Let::make(Ref<SymVar> var, Scalar value, Scalar body, Span span) {
  return Scalar(new Let(std::move(var), std::move(value), std::move(body), std::move(span)));
}
Scalar ScalarCall::make(std::string name, DType dtype, std::vector<Scalar> args, Span span) {
  return Scalar(new ScalarCall(std::move(name), dtype, std::move(args), std::move(span)));
}

Scalar int_imm(int64_t value) { return IntImm::make(DType::int_(64), value); }
Scalar operator+(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::Add, a, b); }
Scalar operator-(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::Sub, a, b); }
Scalar operator*(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::Mul, a, b); }
Scalar floor_div(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::FloorDiv, a, b); }
Scalar floor_mod(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::FloorMod, a, b); }
Scalar min(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::Min, a, b); }
Scalar max(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::Max, a, b); }

const int64_t* find_int(const Scalar& s) {
  const auto* imm = find<IntImm>(s);
  return imm ? &imm->value : nullptr;
}

}  // namespace sunmao
