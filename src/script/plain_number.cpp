// Constant evaluation while reading: literals, arithmetic on them, and values of the host and of names in the script.
#include <limits>
#include <unordered_map>

#include "script/scalar_reader.h"
#include "script/spelling.h"
#include "support/diagnostic.h"
#include "sym/fold.h"

namespace sunmao::script {
namespace {

std::optional<PlainNumber> integer_result(std::optional<int64_t> value) {
  return value ? std::optional(PlainNumber{PlainNumber::Kind::Int, *value, 0}) : std::nullopt;
}

bool compares(const std::string& op) {
  return op == "==" || op == "!=" || op == "<" || op == "<=" || op == ">" || op == ">=";
}

std::optional<PlainNumber> compare(const std::string& op, const PlainNumber& a, const PlainNumber& b) {
  if (a.kind == PlainNumber::Kind::Float || b.kind == PlainNumber::Kind::Float) return std::nullopt;
  const int64_t x = a.integer, y = b.integer;
  const bool holds = op == "=="   ? x == y
                     : op == "!=" ? x != y
                     : op == "<"  ? x < y
                     : op == "<=" ? x <= y
                     : op == ">"  ? x > y
                                  : x >= y;
  return PlainNumber{PlainNumber::Kind::Bool, holds, 0};
}

std::optional<PlainNumber> calculate(const std::string& op, const PlainNumber& a, const PlainNumber& b) {
  if (compares(op)) return compare(op, a, b);
  if (a.kind != PlainNumber::Kind::Float && b.kind != PlainNumber::Kind::Float && op != "/") {
    static const std::unordered_map<std::string, BinaryOp> kOps{{"+", BinaryOp::Add},
                                                                {"-", BinaryOp::Sub},
                                                                {"*", BinaryOp::Mul},
                                                                {"//", BinaryOp::FloorDiv},
                                                                {"%", BinaryOp::FloorMod}};
    auto it = kOps.find(op);
    return it == kOps.end() ? std::nullopt : integer_result(evaluate(it->second, a.integer, b.integer));
  }
  double x = a.kind == PlainNumber::Kind::Float ? a.real : static_cast<double>(a.integer);
  double y = b.kind == PlainNumber::Kind::Float ? b.real : static_cast<double>(b.integer);
  double value = 0;
  if (op == "+")
    value = x + y;
  else if (op == "-")
    value = x - y;
  else if (op == "*")
    value = x * y;
  else if (op == "/" && y != 0)
    value = x / y;
  else
    return std::nullopt;
  return PlainNumber{PlainNumber::Kind::Float, 0, value};
}

std::optional<PlainNumber> negate(std::optional<PlainNumber> n) {
  if (!n) return n;
  if (n->kind == PlainNumber::Kind::Float) return PlainNumber{n->kind, 0, -n->real};
  if (n->integer == std::numeric_limits<int64_t>::min()) return std::nullopt;
  return PlainNumber{PlainNumber::Kind::Int, -n->integer, 0};
}

}  // namespace

std::optional<PlainNumber> plain_number(const AttrValue& v) {
  if (const bool* b = v.find<bool>()) return PlainNumber{PlainNumber::Kind::Bool, *b, 0};
  if (const int64_t* i = v.find<int64_t>()) return PlainNumber{PlainNumber::Kind::Int, *i, 0};
  if (const double* d = v.find<double>()) return PlainNumber{PlainNumber::Kind::Float, 0, *d};
  return std::nullopt;
}

std::optional<PlainNumber> ScalarReader::number(const PyExpr& e) {
  switch (e.kind) {
    case PyKind::Number: {
      if (is_float_text(e.text)) return PlainNumber{PlainNumber::Kind::Float, 0, *read_double(e.text)};
      uint64_t value = *read_integer(e.text);
      if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
      return PlainNumber{PlainNumber::Kind::Int, static_cast<int64_t>(value), 0};
    }
    case PyKind::Literal:
      if (e.text == "True" || e.text == "False") return PlainNumber{PlainNumber::Kind::Bool, e.text == "True", 0};
      return std::nullopt;
    case PyKind::Unary: {
      const PyExpr& operand = *e.items[0];
      if (e.text == "-" && operand.kind == PyKind::Number && !is_float_text(operand.text) &&
          *read_integer(operand.text) == uint64_t{1} << 63)
        return PlainNumber{PlainNumber::Kind::Int, std::numeric_limits<int64_t>::min(), 0};
      return e.text == "-" ? negate(number(operand)) : e.text == "+" ? number(operand) : std::nullopt;
    }
    case PyKind::Binary: {
      if (e.height > 20) return std::nullopt;  // long chains are read as scalar expressions
      std::optional<PlainNumber> a = number(*e.items[0]);
      std::optional<PlainNumber> b = a ? number(*e.items[1]) : std::nullopt;
      return b ? calculate(e.text, *a, *b) : std::nullopt;
    }
    case PyKind::Call:
      if (e.items[0]->is_name("float") && e.arg_count() == 1 && e.arg(0).kind == PyKind::String) {
        if (std::optional<double> value = read_double(e.arg(0).text))
          return PlainNumber{PlainNumber::Kind::Float, 0, *value};
        error("E0110", e, fmt::format("`{}` is no float", e.arg(0).text));
      }
      if (e.items[0]->is_name("len") && e.arg_count() == 1 && !scope_.find("len"))
        if (std::optional<std::vector<Scalar>> parts = several(e.arg(0)))
          return PlainNumber{PlainNumber::Kind::Int, static_cast<int64_t>(parts->size()), 0};
      return std::nullopt;
    case PyKind::Name:
    case PyKind::Attribute:
    case PyKind::Subscript: {
      if (e.kind == PyKind::Name || (e.kind == PyKind::Subscript && scope_.has_parts())) {
        if (const AttrValue* value = scope_.find_as<AttrValue>(unparse(e))) return plain_number(*value);
      }
      std::optional<HostValue> value = ask_host(e);
      const AttrValue* attr = value ? std::get_if<AttrValue>(&*value) : nullptr;
      return attr ? plain_number(*attr) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

Scalar ScalarReader::immediate(const PlainNumber& n, const Span& at) const {
  switch (n.kind) {
    case PlainNumber::Kind::Bool: return IntImm::make(DType::bool_(), n.integer, at);
    case PlainNumber::Kind::Int:
      return IntImm::make(literal_fits(n.integer, defaults_.integer) ? defaults_.integer : DType::int_(64), n.integer,
                          at);
    case PlainNumber::Kind::Float: return FloatImm::make(defaults_.real, n.real, at);
  }
  return nullptr;
}

Scalar ScalarReader::integer_of(DType type, int64_t value, const Span& at) const {
  if (!literal_fits(value, type))
    fail("E0110", at, fmt::format("{} does not fit into {}", value, type.str()),
         "write it as an integer of more bits, such as `T.int64(…)`");
  return IntImm::make(type, value, at);
}

}  // namespace sunmao::script
