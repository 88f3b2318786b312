// ScalarReader for operators: arithmetic, comparisons and their chains, bitwise and boolean logic.
#include <unordered_map>

#include "script/scalar_reader.h"
#include "support/diagnostic.h"
#include "sym/fold.h"

namespace sunmao::script {

void ScalarReader::check_operand(const Scalar& s, const PyExpr& e) const {
  if (s->dtype.is_void() || find<StringImm>(s))
    error("E0110", e, fmt::format("`{}` has no value to calculate with", unparse(e)));
}

namespace {

bool is_scalar_literal(const Scalar& s) { return find<IntImm>(s) || find<FloatImm>(s); }

// Returns the literal converted to `type`, or unchanged when it does not fit.
Scalar literal_as(const Scalar& literal, DType type) {
  if (const auto* i = find<IntImm>(literal)) {
    if (type.is_integral() && literal_fits(i->value, type)) return IntImm::make(type, i->value, i->span);
    if (type.is_float()) return FloatImm::make(type, static_cast<double>(i->value), i->span);
  } else if (const auto* f = find<FloatImm>(literal); f && type.is_float()) {
    return FloatImm::make(type, f->value, f->span);
  }
  return literal;
}

}  // namespace

Scalar ScalarReader::converted(Scalar value, DType type) const {
  if (value->dtype == type) return value;
  if (is_scalar_literal(value) && type.lanes == 1) {
    if (const auto* i = find<IntImm>(value); i && type.is_integral()) return integer_of(type, i->value, i->span);
    Scalar literal = literal_as(value, type);
    if (literal->dtype == type) return literal;
  }
  return Cast::make(type, value, value->span);
}

void ScalarReader::unify(Scalar& a, Scalar& b) const {
  auto adapt = [&](Scalar& narrow, const Scalar& wide) {
    if (narrow->dtype.is_vector()) return;
    if (is_scalar_literal(narrow) && !is_scalar_literal(wide)) narrow = literal_as(narrow, wide->dtype.element());
    if (wide->dtype.is_vector()) narrow = Broadcast::make(narrow, wide->dtype.all_lanes(), narrow->span);
  };
  adapt(a, b);
  adapt(b, a);
}

// Casts the narrower of two operands of one kind (float, signed, unsigned) to the wider type, and an integer beside a
// float to the float's type. Other operands, and vectors of different lengths, stay as they are.
void ScalarReader::promote(Scalar& a, Scalar& b) const {
  DType x = a->dtype.element(), y = b->dtype.element();
  bool numbers = (x.is_float() || x.is_int() || x.is_uint()) && (y.is_float() || y.is_int() || y.is_uint());
  if (x == y || !numbers || a->dtype.lanes != b->dtype.lanes) return;
  bool same_kind = x.code == y.code;
  if (x.is_float() == y.is_float() && !same_kind) return;  // neither holds the other
  bool to_left = same_kind ? x.bits > y.bits : x.is_float();
  Scalar& narrow = to_left ? b : a;
  DType type = (to_left ? x : y).with_lanes(narrow->dtype.all_lanes());
  narrow = Cast::make(type, narrow, narrow->span);
}

// Between two literals of different types, the plain one takes the type of the other: `T.int64(2) + 3`.
Scalar ScalarReader::binary(BinaryOp op, const PyExpr& left, const PyExpr& right, const PyExpr& e) {
  Scalar a = scalar(left), b = scalar(right);
  if (is_scalar_literal(a) && is_scalar_literal(b) && a->dtype != b->dtype) {
    bool plain_a = number(left).has_value(), plain_b = number(right).has_value();
    if (plain_a && !plain_b) a = literal_as(a, b->dtype);
    if (plain_b && !plain_a) b = literal_as(b, a->dtype);
  }
  return binary(op, std::move(a), std::move(b), e);
}

Scalar ScalarReader::binary(BinaryOp op, Scalar a, Scalar b, const PyExpr& e) {
  check_operand(a, e);
  check_operand(b, e);
  unify(a, b);
  promote(a, b);
  return Binary::make(op, std::move(a), std::move(b), span(e));
}

Scalar ScalarReader::unary(const PyExpr& e) {
  Scalar operand = scalar(*e.items[0]);
  check_operand(operand, e);
  if (e.text == "not") return Not::make(std::move(operand), span(e));
  if (e.text == "+") return operand;
  DType type = operand->dtype;
  if (e.text == "~")
    return type.is_bool() ? Not::make(std::move(operand), span(e))
                          : ScalarCall::make("bitwise_not", type, {operand}, span(e));
  return binary(BinaryOp::Mul, operand, IntImm::make(defaults_.integer, -1), e);
}

namespace {

std::optional<BinaryOp> operator_of(const std::string& op) {
  static const std::unordered_map<std::string, BinaryOp> kOps{
      {"+", BinaryOp::Add},       {"-", BinaryOp::Sub},      {"*", BinaryOp::Mul}, {"/", BinaryOp::Div},
      {"//", BinaryOp::FloorDiv}, {"%", BinaryOp::FloorMod}, {"==", BinaryOp::Eq}, {"!=", BinaryOp::Ne},
      {"<", BinaryOp::Lt},        {"<=", BinaryOp::Le},      {">", BinaryOp::Gt},  {">=", BinaryOp::Ge},
      {"and", BinaryOp::And},     {"or", BinaryOp::Or}};
  auto it = kOps.find(op);
  return it == kOps.end() ? std::nullopt : std::optional(it->second);
}

// The largest height of an operand that a chained comparison duplicates.
constexpr int kMaxShared = 12;

}  // namespace

Scalar ScalarReader::operation(const PyExpr& e) {
  std::optional<BinaryOp> op = operator_of(e.text);
  if (!op) {
    Scalar a = scalar(*e.items[0]);
    return combine(e.text, std::move(a), scalar(*e.items[1]), e);
  }
  Scalar result = binary(*op, *e.items[0], *e.items[1], e);
  if (e.text == "/") check_division(result, e);
  return result;
}

void ScalarReader::check_division(const Scalar& result, const PyExpr& e) const {
  if (find<Binary>(result)->a->dtype.is_integral())
    error("E0110", e, "`/` on integers leaves open how to round",
          "write `//` (down), `T.truncdiv` (towards zero), or convert to float");
}

// Expands `a < b <= c` to `a < b and b <= c`.
Scalar ScalarReader::chain(const PyExpr& e) {
  std::vector<std::string> ops = chained_operators(e);
  std::vector<Scalar> values;
  for (size_t i = 0; i < e.items.size(); ++i) {
    bool is_shared = i > 0 && i + 1 < e.items.size();
    if (is_shared && e.items[i]->height > kMaxShared)
      error("E0104", *e.items[i], "an operand inside a chain of comparisons is too long", "bind it to a name");
    values.push_back(scalar(*e.items[i]));
  }
  Scalar out;
  for (size_t i = 0; i < ops.size(); ++i) {
    Scalar part = binary(*operator_of(ops[i]), values[i], values[i + 1], e);
    out = out ? binary(BinaryOp::And, out, part, e) : part;
  }
  return out;
}

Scalar ScalarReader::combine(const std::string& op, Scalar a, Scalar b, const PyExpr& e) {
  if (std::optional<BinaryOp> known = operator_of(op)) {
    Scalar result = binary(*known, std::move(a), std::move(b), e);
    if (op == "/") check_division(result, e);
    return result;
  }
  static const std::unordered_map<std::string, const char*> kCalls{{"|", "bitwise_or"},   {"&", "bitwise_and"},
                                                                   {"^", "bitwise_xor"},  {"<<", "shift_left"},
                                                                   {">>", "shift_right"}, {"**", "pow"}};
  auto it = kCalls.find(op);
  if (it == kCalls.end()) error("E0110", e, fmt::format("`{}` is no operation on scalars", op));
  check_operand(a, e);
  check_operand(b, e);
  unify(a, b);
  DType type = a->dtype;
  return ScalarCall::make(it->second, type, {std::move(a), std::move(b)}, span(e));
}

}  // namespace sunmao::script
