// Scalars: names, operators, plain numbers, buffer elements.
#include "script/python_parser.h"
#include "script/scalar_reader.h"
#include "script/spelling.h"
#include "support/spelling.h"

namespace sunmao::script {

std::optional<HostValue> ScalarReader::ask_host(const PyExpr& e) const {
  const PyExpr* root = root_name(e);
  if (!root || defining_ || is_dialect_root(*root) || scope_.find(root->text) || scope_.find_symbol(root->text) ||
      scope_.find_declared(root->text))
    return std::nullopt;
  return ctx_.host(e);
}

Scalar ScalarReader::from_host(const HostValue& value, const PyExpr& e) {
  const AttrValue* attr = std::get_if<AttrValue>(&value);
  if (attr) {
    if (std::optional<PlainNumber> n = plain_number(*attr)) return immediate(*n, span(e));
    if (const Scalar* s = attr->find<Scalar>(); s && *s) return *s;
    if (const Expr* x = attr->find<Expr>())
      if (const auto* prim = find<PrimValue>(*x)) return prim->value;
  }
  error("E0110", e, fmt::format("`{}` is no number", unparse(e)), "a scalar is asked for here");
}

void ScalarReader::unknown_name(const PyExpr& e) const {
  const PyExpr* root = root_name(e);
  std::string name = root ? root->text : unparse(e);
  std::string help = did_you_mean(name, scope_.names());
  error("E0106", root ? *root : e, fmt::format("`{}` is not defined here", name),
        help.empty() ? "define it before it is used" : help);
}

std::pair<char, std::string> ScalarReader::dialect_name(const PyExpr& e) const {
  std::string name = dotted_name(e);
  size_t dot = name.find('.');
  if (dot == std::string::npos) return {0, {}};
  std::string root = name.substr(0, dot), rest = name.substr(dot + 1);
  if (scope_.find(root)) return {0, {}};
  if (root == "R" || root == "relax") return {'R', rest.starts_with("op.") ? rest.substr(3) : rest};
  if (root == "T" || root == "tir" || root == "tirx") return {'T', rest};
  if (root == "I") return {'I', rest};
  return {0, {}};
}

bool ScalarReader::is_dialect_root(const PyExpr& name) const {
  for (const char* root : {"R", "T", "I", "relax", "tir", "tirx"})
    if (name.text == root) return !scope_.find(name.text);
  return false;
}

Scalar ScalarReader::quoted(const PyExpr& e) {
  PyExprPtr inner = PythonParser(ctx_.source(), e.text, e.place).parse_quoted();
  bool outer = std::exchange(defining_, true);
  try {
    Scalar result = scalar(*inner);
    defining_ = outer;
    return result;
  } catch (...) {
    defining_ = outer;
    throw;
  }
}

Scalar ScalarReader::variable(const Ref<Var>&, const PyExpr& e) {
  error("E0110", e, fmt::format("`{}` is no scalar", e.text));
}

Scalar ScalarReader::name(const PyExpr& e) {
  const Named* named = scope_.find(e.text);
  // A quoted dimension names a symbol even where a variable of the graph level is called the same.
  if (named && !(defining_ && std::holds_alternative<Ref<Var>>(*named))) {
    if (const Scalar* s = std::get_if<Scalar>(named)) return *s;
    if (const AttrValue* v = std::get_if<AttrValue>(named)) return from_host(*v, e);
    if (const Ref<Var>* var = std::get_if<Ref<Var>>(named)) return variable(*var, e);
    const bool is_buffer = std::holds_alternative<Ref<Buffer>>(*named);
    error("E0110", e, fmt::format("`{}` is no scalar", e.text), is_buffer ? "read an element with `[…]`" : "");
  }
  if (Ref<SymVar> symbol = scope_.find_symbol(e.text)) return symbol;
  if (const DType* declared = scope_.find_declared(e.text)) return scope_.define_symbol(e.text, *declared, span(e));
  if (defining_) return scope_.define_symbol(e.text, DType::int_(64), span(e));
  if (std::optional<HostValue> value = ask_host(e)) return from_host(*value, e);
  unknown_name(e);
}

Scalar ScalarReader::attribute(const PyExpr& e) {
  const PyExpr& base = *e.items[0];
  if (base.kind == PyKind::Name) {
    if (const Ref<Buffer>* b = scope_.find_as<Ref<Buffer>>(base.text); b && e.text == "data") {
      if ((*b)->data) return (*b)->data;
    }
  }
  if (std::optional<HostValue> value = ask_host(e)) return from_host(*value, e);
  const PyExpr* root = root_name(e);
  if (root && !scope_.find(root->text) && dialect_name(e).first == 0) unknown_name(e);
  error("E0110", e, fmt::format("`{}` is no scalar", unparse(e)));
}

Scalar ScalarReader::subscript(const PyExpr& e) {
  const PyExpr& base = *e.items[0];
  if (base.kind == PyKind::Name) {
    if (const Ref<Buffer>* b = scope_.find_as<Ref<Buffer>>(base.text)) {
      std::vector<Scalar> at = indices(*e.items[1], **b);
      int lanes = at.empty() ? 1 : at.back()->dtype.lanes;
      if (lanes * (*b)->dtype.lanes > 4096) error("E0110", e, "a vector has at most 4096 lanes");
      return BufferLoad::make(*b, std::move(at), span(e));
    }
    if (const auto* several = scope_.find_as<std::vector<Scalar>>(base.text)) {
      int64_t i = integer(*e.items[1], "an index");
      if (i < 0 || i >= static_cast<int64_t>(several->size()))
        error("E0110", e, fmt::format("`{}` has {} parts, indexed with {}", base.text, several->size(), i));
      return (*several)[static_cast<size_t>(i)];
    }
  }
  if (std::optional<HostValue> value = ask_host(e)) return from_host(*value, e);
  const PyExpr* root = root_name(e);
  if (root && !scope_.find(root->text)) unknown_name(e);
  error("E0110", e, fmt::format("`{}` has no elements", unparse(base)));
}

void ScalarReader::check_operand(const Scalar& s, const PyExpr& e) const {
  if (s->dtype.is_void() || find<StringImm>(s))
    error("E0110", e, fmt::format("`{}` has no value to calculate with", unparse(e)));
}

namespace {

bool is_literal(const Scalar& s) { return find<IntImm>(s) || find<FloatImm>(s); }

// The literal as a value of `type`, or as it is where that loses something.
Scalar literal_as(const Scalar& literal, DType type) {
  if (const auto* i = find<IntImm>(literal)) {
    if (type.is_integral()) return IntImm::make(type, i->value, i->span);
    if (type.is_float()) return FloatImm::make(type, static_cast<double>(i->value), i->span);
  } else if (const auto* f = find<FloatImm>(literal); f && type.is_float()) {
    return FloatImm::make(type, f->value, f->span);
  }
  return literal;
}

}  // namespace

void ScalarReader::unify(Scalar& a, Scalar& b) const {
  auto adapt = [&](Scalar& narrow, const Scalar& wide) {
    if (narrow->dtype.lanes != 1) return;
    if (is_literal(narrow) && !is_literal(wide)) narrow = literal_as(narrow, wide->dtype.element());
    if (wide->dtype.lanes != 1) narrow = Broadcast::make(narrow, wide->dtype.lanes, narrow->span);
  };
  adapt(a, b);
  adapt(b, a);
}

// Of two literals the plain one takes the type of the other: `T.int64(2) + 3`.
Scalar ScalarReader::binary(BinaryOp op, const PyExpr& left, const PyExpr& right, const PyExpr& e) {
  Scalar a = scalar(left), b = scalar(right);
  if (is_literal(a) && is_literal(b) && a->dtype != b->dtype) {
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

Scalar ScalarReader::operation(const PyExpr& e) {
  static const std::unordered_map<std::string, BinaryOp> kOps{
      {"+", BinaryOp::Add},       {"-", BinaryOp::Sub},      {"*", BinaryOp::Mul}, {"/", BinaryOp::Div},
      {"//", BinaryOp::FloorDiv}, {"%", BinaryOp::FloorMod}, {"==", BinaryOp::Eq}, {"!=", BinaryOp::Ne},
      {"<", BinaryOp::Lt},        {"<=", BinaryOp::Le},      {">", BinaryOp::Gt},  {">=", BinaryOp::Ge},
      {"and", BinaryOp::And},     {"or", BinaryOp::Or}};
  if (auto it = kOps.find(e.text); it != kOps.end()) {
    Scalar result = binary(it->second, *e.items[0], *e.items[1], e);
    if (e.text == "/" && find<Binary>(result)->a->dtype.is_integral())
      error("E0110", e, "`/` on integers leaves open how to round",
            "write `//` (down), `T.truncdiv` (towards zero), or convert to float");
    return result;
  }
  static const std::unordered_map<std::string, const char*> kCalls{{"|", "bitwise_or"},   {"&", "bitwise_and"},
                                                                   {"^", "bitwise_xor"},  {"<<", "shift_left"},
                                                                   {">>", "shift_right"}, {"**", "pow"}};
  auto it = kCalls.find(e.text);
  if (it == kCalls.end()) error("E0110", e, fmt::format("`{}` is no operation on scalars", e.text));
  Scalar a = scalar(*e.items[0]), b = scalar(*e.items[1]);
  check_operand(a, e);
  check_operand(b, e);
  unify(a, b);
  DType type = a->dtype;
  return ScalarCall::make(it->second, type, {std::move(a), std::move(b)}, span(e));
}

Scalar ScalarReader::scalar(const PyExpr& e) {
  if (std::optional<PlainNumber> n = number(e)) return immediate(*n, span(e));
  switch (e.kind) {
    case PyKind::Number: return IntImm::make(DType::uint(64), static_cast<int64_t>(*read_integer(e.text)), span(e));
    case PyKind::Name: return name(e);
    case PyKind::Attribute: return attribute(e);
    case PyKind::Subscript: return subscript(e);
    case PyKind::Unary: return unary(e);
    case PyKind::Binary: return operation(e);
    case PyKind::Call: return call(e);
    case PyKind::Conditional: {
      Scalar then_value = scalar(*e.items[0]), condition = boolean(*e.items[1]), else_value = scalar(*e.items[2]);
      unify(then_value, else_value);
      DType type = then_value->dtype;
      return ScalarCall::make("if_then_else", type, {condition, then_value, else_value}, span(e));
    }
    default: error("E0110", e, fmt::format("`{}` is no scalar", unparse(e)));
  }
}

Scalar ScalarReader::argument(const PyExpr& e) {
  return e.kind == PyKind::String ? StringImm::make(e.text, span(e)) : scalar(e);
}

Scalar ScalarReader::boolean(const PyExpr& e) {
  Scalar s = scalar(e);
  if (!s->dtype.is_integral())
    error("E0110", e, fmt::format("a condition is asked for, `{}` is of type {}", unparse(e), s->dtype.str()),
          "compare it with something");
  return s;
}

std::vector<Scalar> ScalarReader::scalars(const PyExpr& sequence) {
  std::vector<Scalar> out;
  if (sequence.kind == PyKind::Name)
    if (const auto* several = scope_.find_as<std::vector<Scalar>>(sequence.text)) return *several;
  for (const PyExpr* e : elements(sequence)) out.push_back(e->kind == PyKind::String ? quoted(*e) : scalar(*e));
  return out;
}

int64_t ScalarReader::integer(const PyExpr& e, const std::string& what) {
  std::optional<PlainNumber> n = number(e);
  if (n && n->kind != PlainNumber::Kind::Float) return n->integer;
  if (e.kind == PyKind::Call || e.kind == PyKind::Name || e.kind == PyKind::Attribute) {
    Scalar s = scalar(e);
    if (const int64_t* value = find_int(s)) return *value;
  }
  error("E0110", e, fmt::format("{} must be an integer, got `{}`", what, unparse(e)));
}

std::string ScalarReader::text(const PyExpr& e, const std::string& what) {
  if (e.kind == PyKind::String) return e.text;
  const AttrValue* named = e.kind == PyKind::Name ? scope_.find_as<AttrValue>(e.text) : nullptr;
  std::optional<HostValue> value = named ? HostValue(*named) : ask_host(e);
  const AttrValue* attr = value ? std::get_if<AttrValue>(&*value) : nullptr;
  if (const std::string* s = attr ? attr->find<std::string>() : nullptr) return *s;
  error("E0110", e, fmt::format("{} must be text in quotes, got `{}`", what, unparse(e)));
}

bool ScalarReader::flag(const PyExpr& e, const std::string& what) {
  std::optional<PlainNumber> n = number(e);
  if (n && n->kind == PlainNumber::Kind::Bool) return n->integer != 0;
  error("E0110", e, fmt::format("{} must be True or False, got `{}`", what, unparse(e)));
}

DType ScalarReader::dtype(const PyExpr& e) {
  std::optional<DType> found;
  if (e.kind == PyKind::String) {
    found = DType::parse(e.text);
  } else if (e.is_literal("None")) {
    found = DType::void_();
  } else if (auto [dialect, name] = dialect_name(e); dialect == 'T') {
    found = DType::parse(name);
  } else if (e.kind == PyKind::Call && e.arg_count() == 1 &&
             (dialect_name(*e.items[0]) == std::pair<char, std::string>('T', "dtype") ||
              dialect_name(*e.items[0]) == std::pair<char, std::string>('R', "dtype"))) {
    return dtype(e.arg(0));
  } else if (e.kind == PyKind::Call && dialect_name(*e.items[0]) == std::pair<char, std::string>('T', "handle")) {
    found = DType::handle();
  } else if (std::optional<HostValue> value = ask_host(e)) {
    const AttrValue* attr = std::get_if<AttrValue>(&*value);
    if (const std::string* s = attr ? attr->find<std::string>() : nullptr) found = DType::parse(*s);
    if (const DType* t = attr ? attr->find<DType>() : nullptr) found = *t;
  } else if (const AttrValue* named = e.kind == PyKind::Name ? scope_.find_as<AttrValue>(e.text) : nullptr) {
    if (const std::string* s = named->find<std::string>()) found = DType::parse(*s);
  }
  if (!found)
    error("E0110", e, fmt::format("`{}` is no dtype", unparse(e)), "write \"float32\", \"int64\", \"bool\" …");
  return *found;
}

}  // namespace sunmao::script
