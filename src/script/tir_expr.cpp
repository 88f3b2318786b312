// ScalarReader for names, operators, literals and buffer elements.
#include "script/python_parser.h"
#include "script/scalar_reader.h"
#include "script/spelling.h"
#include "support/spelling.h"

namespace sunmao::script {

bool ScalarReader::is_of_host(const PyExpr& e) const {
  const PyExpr* root = root_name(e);
  return root && !defining_ && !is_dialect_root(*root) && !scope_.find(root->text) && !scope_.find_symbol(root->text) &&
         !scope_.find_declared(root->text);
}

std::optional<HostValue> ScalarReader::ask_host(const PyExpr& e) const {
  return is_of_host(e) ? ctx_.host(e, scalar_names(e)) : std::nullopt;
}

// Returns the scalars and plain values that the names of the script in `e` are bound to.
AttrMap ScalarReader::scalar_names(const PyExpr& e) const {
  AttrMap out;
  visit_exprs(e, [&](const PyExpr& part) {
    if (part.kind != PyKind::Name) return;
    const Named* named = scope_.find(part.text);
    const Scalar* bound = named ? std::get_if<Scalar>(named) : nullptr;
    const AttrValue* plain = named ? std::get_if<AttrValue>(named) : nullptr;
    Ref<SymVar> symbol = named ? nullptr : scope_.find_symbol(part.text);
    if (bound) out.insert_or_assign(part.text, AttrValue(*bound));
    if (plain) out.insert_or_assign(part.text, *plain);
    if (symbol) out.insert_or_assign(part.text, AttrValue(Scalar(symbol)));
  });
  return out;
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
  if (!defining_ && later_names_.contains(e.text)) unknown_name(e);
  const Named* named = scope_.find(e.text);
  // A quoted dimension names a symbol even when a graph-level variable that is not a scalar has the same name.
  const Ref<Var>* variable_named = named ? std::get_if<Ref<Var>>(named) : nullptr;
  const auto* known = variable_named ? find<PrimType>((*variable_named)->type) : nullptr;
  if (known && known->value) return variable(*variable_named, e);
  if (named && !(defining_ && variable_named)) {
    if (const Scalar* s = std::get_if<Scalar>(named)) return *s;
    if (const AttrValue* v = std::get_if<AttrValue>(named)) return from_host(*v, e);
    if (const Ref<Var>* var = std::get_if<Ref<Var>>(named)) return variable(*var, e);
    const bool is_buffer = std::holds_alternative<Ref<Buffer>>(*named);
    error("E0110", e, fmt::format("`{}` is no scalar", e.text), is_buffer ? "read an element with `[…]`" : "");
  }
  if (const Ref<Var>* var = named ? std::get_if<Ref<Var>>(named) : nullptr) {
    const auto* prim = find<PrimType>((*var)->type);
    if (prim && prim->dtype != DType::int_(64))
      error("E0115", e, fmt::format("a dimension is an int64, `{}` is of type {}", e.text, prim->dtype.str()),
            "make the parameter an `R.Prim(\"int64\")`");
  }
  if (Ref<SymVar> symbol = scope_.find_symbol(e.text)) return symbol;
  if (const DType* declared = scope_.find_declared(e.text)) return scope_.define_symbol(e.text, *declared, span(e));
  if (defining_) return scope_.define_symbol(e.text, defaults_.integer, span(e));
  if (std::optional<HostValue> value = ask_host(e)) return from_host(*value, e);
  unknown_name(e);
}

Scalar ScalarReader::attribute(const PyExpr& e) {
  if (const Ref<Buffer>* b = find_buffer(*e.items[0])) {
    if (Scalar known = buffer_attribute(**b, e)) return known;
    error("E0110", e, fmt::format("a buffer has no scalar `{}`", e.text),
          "it has `data`, `elem_offset`, `shape[i]`, `strides[i]`, `ndim`");
  }
  if (std::optional<HostValue> value = ask_host(e)) return from_host(*value, e);
  const PyExpr* root = root_name(e);
  if (root && !scope_.find(root->text) && dialect_name(e).first == 0) unknown_name(e);
  error("E0110", e, fmt::format("`{}` is no scalar", unparse(e)));
}

Scalar ScalarReader::subscript(const PyExpr& e) {
  const PyExpr& base = *e.items[0];
  if (const Scalar* part = scope_.has_parts() ? scope_.find_as<Scalar>(unparse(e)) : nullptr) return *part;
  if (base.kind == PyKind::Name || base.kind == PyKind::Subscript) {
    if (const Ref<Buffer>* b = find_buffer(base)) {
      std::vector<Scalar> at = indices(*e.items[1], **b);
      int lanes = at.empty() ? 1 : int{at.back()->dtype.lanes};
      if (lanes * (*b)->dtype.lanes > 4096) error("E0110", e, "a vector has at most 4096 lanes");
      return BufferLoad::make(*b, std::move(at), span(e));
    }
  }
  bool has_parts = (base.kind == PyKind::Name && scope_.find_as<std::vector<Scalar>>(base.text)) ||
                   (base.kind == PyKind::Attribute && find_buffer(*base.items[0]));
  if (std::optional<std::vector<Scalar>> parts = has_parts ? several(base) : std::nullopt) {
    int64_t i = integer(*e.items[1], "an index"), count = static_cast<int64_t>(parts->size());
    if (i < -count || i >= count)
      error("E0110", e, fmt::format("`{}` has {} parts, indexed with {}", unparse(base), count, i));
    return (*parts)[static_cast<size_t>(i < 0 ? i + count : i)];
  }
  if (std::optional<HostValue> value = ask_host(e)) return from_host(*value, e);
  const PyExpr* root = root_name(e);
  if (root && !scope_.find(root->text)) unknown_name(e);
  error("E0110", e, fmt::format("`{}` has no elements", unparse(base)));
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
    case PyKind::Compare: return chain(e);
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
  if (!sequence.is_sequence())
    if (std::optional<std::vector<Scalar>> known = several(sequence)) return *known;
  for (const PyExpr* e : elements(sequence)) {
    if (e->kind == PyKind::Starred) {
      for (Scalar& s : unpacked(*e)) out.push_back(std::move(s));
    } else {
      out.push_back(e->kind == PyKind::String ? quoted(*e) : scalar(*e));
    }
  }
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

// True for the pointer types `T.handle("float32")` and `T.ptr("float32")`, and for their `.ty`.
bool ScalarReader::is_pointer_type(const PyExpr& e) const {
  if (e.kind == PyKind::Attribute && e.text == "ty") return is_pointer_type(*e.items[0]);
  auto [dialect, name] = dialect_name(e.kind == PyKind::Call ? *e.items[0] : e);
  return dialect == 'T' && e.kind == PyKind::Call && (name == "handle" || name == "ptr");
}

Pointee ScalarReader::pointee(const PyExpr& e) {
  if (e.kind == PyKind::Attribute && e.text == "ty") return pointee(*e.items[0]);
  if (!is_pointer_type(e)) return {};
  const std::vector<std::string> names{"dtype", "storage_scope"};
  PyExpr const* given[2] = {nullptr, nullptr};
  for (size_t i = 0; i < 2; ++i) given[i] = e.arg_count() > i ? &e.arg(i) : e.find_keyword(names[i]);
  Pointee out;
  if (given[0] && !given[0]->is_literal("None")) out.element = dtype(*given[0]);
  if (given[1] && !given[1]->is_literal("None")) out.scope = text(*given[1], "`storage_scope`");
  if (out.scope.empty() && !out.element.is_void()) out.scope = "global";
  if (out.scope == "global" && out.element.is_void()) out.scope.clear();
  return out;
}

DType ScalarReader::dtype(const PyExpr& e) {
  std::optional<DType> found;
  if (e.kind == PyKind::String) {
    found = DType::parse(e.text);
  } else if (e.is_literal("None")) {
    found = DType::void_();
  } else if (auto [dialect, name] = dialect_name(e); dialect == 'T') {
    found = name == "boolean" ? DType::bool_() : DType::parse(name);
  } else if (e.kind == PyKind::Call && e.arg_count() == 1 &&
             (dialect_name(*e.items[0]) == std::pair<char, std::string>('T', "dtype") ||
              dialect_name(*e.items[0]) == std::pair<char, std::string>('R', "dtype"))) {
    return dtype(e.arg(0));
  } else if (is_pointer_type(e)) {
    found = DType::handle();
  } else if (const Ref<Buffer>* b = e.kind == PyKind::Attribute ? find_buffer(*e.items[0]) : nullptr;
             b && e.text == "dtype") {
    found = (*b)->dtype;
  } else if (std::optional<HostValue> value = ask_host(e)) {
    const AttrValue* attr = std::get_if<AttrValue>(&*value);
    if (const std::string* s = attr ? attr->find<std::string>() : nullptr) found = DType::parse(*s);
    if (const DType* t = attr ? attr->find<DType>() : nullptr) found = *t;
  } else if (const AttrValue* named = e.kind == PyKind::Name ? scope_.find_as<AttrValue>(e.text) : nullptr) {
    if (const std::string* s = named->find<std::string>()) found = DType::parse(*s);
    if (const DType* t = named->find<DType>()) found = *t;
  }
  if (!found)
    error("E0110", e, fmt::format("`{}` is no dtype", unparse(e)), "write \"float32\", \"int64\", \"bool\" …");
  return *found;
}

}  // namespace sunmao::script
