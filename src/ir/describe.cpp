// Text of types and scalars in messages: close to script syntax and short; it never fails.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/expr.h"
#include "support/match.h"

namespace sunmao {
namespace {

struct Spelling {
  const char* text;
  int precedence;  // 0: written as a call, such as min(a, b)
};

Spelling spelling(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add: return {"+", 5};
    case BinaryOp::Sub: return {"-", 5};
    case BinaryOp::Mul: return {"*", 6};
    case BinaryOp::Div: return {"/", 6};
    case BinaryOp::FloorDiv: return {"//", 6};
    case BinaryOp::FloorMod: return {"%", 6};
    case BinaryOp::Eq: return {"==", 3};
    case BinaryOp::Ne: return {"!=", 3};
    case BinaryOp::Lt: return {"<", 3};
    case BinaryOp::Le: return {"<=", 3};
    case BinaryOp::Gt: return {">", 3};
    case BinaryOp::Ge: return {">=", 3};
    case BinaryOp::And: return {"and", 2};
    case BinaryOp::Or: return {"or", 1};
    case BinaryOp::TruncMod:
    case BinaryOp::Min:
    case BinaryOp::Max: return {name_of(op), 0};
  }
  return {"?", 0};
}

std::string text(const Scalar& s, int outer) {
  if (!s) return "?";
  if (const auto* n = find<IntImm>(s))
    return s->dtype.is_bool() ? (n->value ? "True" : "False") : std::to_string(n->value);
  if (const auto* n = find<FloatImm>(s)) return fmt::format("{}", n->value);
  if (const auto* n = find<StringImm>(s)) return fmt::format("\"{}\"", n->value);
  if (const auto* n = find<SymVar>(s)) return n->name;
  if (const auto* n = find<Binary>(s)) {
    Spelling op = spelling(n->op);
    if (op.precedence == 0) return fmt::format("{}({}, {})", op.text, text(n->a, 0), text(n->b, 0));
    std::string inner = fmt::format("{} {} {}", text(n->a, op.precedence), op.text, text(n->b, op.precedence + 1));
    return op.precedence < outer ? "(" + inner + ")" : inner;
  }
  if (const auto* n = find<Cast>(s)) return fmt::format("{}({})", s->dtype.str(), text(n->value, 0));
  std::string name = find<ScalarCall>(s) ? find<ScalarCall>(s)->name
                     : find<Select>(s)   ? "select"
                     : find<Not>(s)      ? "not"
                                         : "expr";
  if (const auto* n = find<ScalarCall>(s)) {
    std::vector<std::string> args;
    for (const Scalar& a : n->args) args.push_back(text(a, 0));
    return fmt::format("{}({})", name, fmt::join(args, ", "));
  }
  return name + "(…)";
}

std::string dims_text(const std::vector<Scalar>& dims) {
  std::string out = "(";
  for (size_t i = 0; i < dims.size(); ++i) out += (i ? ", " : "") + text(dims[i], 0);
  return out + (dims.size() == 1 ? ",)" : ")");
}

std::string tensor_text(const TensorType& t) {
  std::vector<std::string> parts;
  const auto* variable = find<Var>(t.shape);
  if (t.dims())
    parts.push_back(dims_text(*t.dims()));
  else if (variable)
    parts.push_back(variable->name);
  else if (t.rank != kUnknownRank)
    parts.push_back(fmt::format("ndim={}", t.rank));
  if (!t.dtype.is_void()) parts.push_back(fmt::format("\"{}\"", t.dtype.str()));
  if (t.vdevice) parts.push_back(fmt::format("vdevice=\"{}:{}\"", t.vdevice->target_kind(), t.vdevice->id));
  return fmt::format("Tensor({})", fmt::join(parts, ", "));
}

std::string list_text(const std::vector<Type>& types) {
  std::vector<std::string> parts;
  for (const Type& t : types) parts.push_back(describe(t));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string describe(const Scalar& scalar) { return text(scalar, 0); }

std::string describe(const Type& type) {
  if (!type) return "<not yet known>";
  if (const auto* t = find<TensorType>(type)) return tensor_text(*t);
  if (const auto* t = find<ShapeType>(type)) {
    if (t->values) return "Shape(" + dims_text(*t->values) + ")";
    return t->rank == kUnknownRank ? "Shape" : fmt::format("Shape(ndim={})", t->rank);
  }
  if (const auto* t = find<PrimType>(type)) {
    return t->value ? fmt::format("Prim({}, value={})", t->dtype.str(), text(t->value, 0))
                    : fmt::format("Prim(\"{}\")", t->dtype.str());
  }
  if (const auto* t = find<TupleType>(type)) return fmt::format("Tuple({})", list_text(t->fields));
  if (const auto* t = find<CallableType>(type)) {
    return fmt::format("Callable(({}), {}{})", t->params ? list_text(*t->params) : "…", describe(t->result),
                       t->is_pure ? "" : ", impure");
  }
  return "Any";
}

}  // namespace sunmao
