// ValueReader for types: R.Tensor, R.Shape, R.Prim, R.Tuple, R.Callable, R.Any in all their spellings.
#include "script/value_reader.h"
#include "support/spelling.h"
#include "sym/walk.h"

namespace sunmao::script {
namespace {

// True when a call or bare name of this spelling denotes a type.
bool is_type_name(char dialect, const std::string& name) {
  if (dialect == 'T') return DType::parse(name).has_value() && name != "void";
  if (dialect != 'R') return false;
  for (const char* known : {"Tensor", "Shape", "Prim", "Tuple", "Callable", "Any", "Object", "PackedFunc"})
    if (name == known) return true;
  return false;
}

const PyExpr& callee_of(const PyExpr& e) { return e.kind == PyKind::Call ? *e.items[0] : e; }

}  // namespace

std::vector<const PyExpr*> bind_arguments(const ScriptContext& context, const PyExpr& call, const std::string& name,
                                          std::span<const std::string> params) {
  std::vector<const PyExpr*> out(params.size(), nullptr);
  if (call.kind != PyKind::Call) return out;
  if (call.arg_count() > params.size())
    context.error("E0108", call.place,
                  fmt::format("`{}` takes at most {} arguments, got {}", name, params.size(), call.arg_count()));
  for (size_t i = 0; i < call.arg_count(); ++i) {
    if (call.arg(i).kind == PyKind::Starred)
      context.error("E0105", call.arg(i).place, fmt::format("arguments of `{}` are written out, not unpacked", name));
    out[i] = &call.arg(i);
  }
  for (const PyKeyword& k : call.keywords) {
    auto it = std::find(params.begin(), params.end(), k.name);
    if (it == params.end())
      context.error("E0109", k.place,
                    fmt::format("`{}` has no argument named `{}`", name, k.name.empty() ? "**" : k.name),
                    did_you_mean(k.name, {params.begin(), params.end()}));
    size_t at = static_cast<size_t>(it - params.begin());
    if (out[at]) context.error("E0109", k.place, fmt::format("`{}` of `{}` is given twice", k.name, name));
    out[at] = k.value.get();
  }
  return out;
}

bool ValueReader::is_none(const PyExpr& e) {
  if (e.is_literal("None")) return true;
  bool may_be_the_hosts = e.kind == PyKind::Name && !scope_.find(e.text);
  std::optional<HostValue> value = may_be_the_hosts ? ask_host(e) : std::nullopt;
  const AttrValue* attr = value ? std::get_if<AttrValue>(&*value) : nullptr;
  return attr && attr->is_none();
}

// Returns the arguments of a call in the order of `params`; None counts as omitted.
std::vector<const PyExpr*> ValueReader::bind(const PyExpr& call, const std::string& name,
                                             std::initializer_list<const char*> params) {
  std::vector<std::string> names(params.begin(), params.end());
  std::vector<const PyExpr*> given = bind_arguments(ctx_, call, name, names);
  for (const PyExpr*& e : given)
    if (e && is_none(*e)) e = nullptr;
  return given;
}

bool ValueReader::is_type(const PyExpr& e) const {
  auto [dialect, name] = dialect_name(callee_of(e));
  // T.int64(1) is a number, whereas T.int64 without a call is a type.
  return is_type_name(dialect, name) && (dialect == 'R' || e.kind != PyKind::Call);
}

bool ValueReader::says_dtype_alone(const PyExpr& e) const {
  return e.kind == PyKind::Call && e.find_keyword("dtype") && !e.find_keyword("value") &&
         dialect_name(*e.items[0]) == std::pair<char, std::string>('R', "Prim");
}

// Returns the type that `x.ty` (formerly `x.struct_info`) denotes: that of a variable, or of a field of one.
Type ValueReader::type_of_variable(const PyExpr& e) {
  bool asks = e.kind == PyKind::Attribute && (e.text == "ty" || e.text == "struct_info");
  const Ref<Var>* var = asks && e.items[0]->kind == PyKind::Name ? scope_.find_as<Ref<Var>>(e.items[0]->text) : nullptr;
  if (var) return (*var)->type;
  Expr field = asks && e.items[0]->kind == PyKind::Subscript ? expr_value(*e.items[0]) : nullptr;
  return field ? field->type : nullptr;
}

Type ValueReader::host_type(const PyExpr& e) {
  if (Type known = type_of_variable(e)) return known;
  std::optional<HostValue> value = ask_host(e);
  const AttrValue* attr = value ? std::get_if<AttrValue>(&*value) : nullptr;
  if (const Type* t = attr ? attr->find<Type>() : nullptr; t && *t) return *t;
  const PyExpr* root = root_name(e);
  if (!value && root && !scope_.find(root->text) && dialect_name(callee_of(e)).first == 0) unknown_name(e);
  error("E0115", e, fmt::format("`{}` is no type", unparse(e)),
        "types are `R.Tensor((n, 4), \"float32\")`, `R.Shape`, `R.Prim`, `R.Tuple`, `R.Callable`, `R.Any`");
}

Type ValueReader::type(const PyExpr& e) {
  if (e.is_literal("None")) return TupleType::make({}, span(e));
  const PyExpr& callee = callee_of(e);
  auto [dialect, name] = dialect_name(callee);
  if (!is_type_name(dialect, name)) return host_type(e);
  if (dialect == 'T') {
    if (e.kind == PyKind::Call && (e.arg_count() > 0 || !e.keywords.empty()))
      error("E0115", e, fmt::format("`{}` is no type", unparse(e)),
            "write `R.Prim(value=…)` for a scalar of known value");
    return PrimType::make(*DType::parse(name), span(e));
  }
  if (name == "Tensor") return tensor(e);
  if (name == "Shape") return shape(e);
  if (name == "Prim") return prim(e);
  if (name == "Tuple") return tuple(e);
  if (name == "Callable") return callable(e);
  bind(e, "R." + name, {});
  if (name == "PackedFunc") return CallableType::make_opaque(AnyType::make(), false, span(e));
  return AnyType::make(span(e));
}

Scalar ValueReader::variable(const Ref<Var>& var, const PyExpr& e) {
  const auto* prim = find<PrimType>(var->type);
  if (prim && prim->value) return prim->value;
  error("E0110", e, fmt::format("`{}` is no scalar that is known by name", e.text),
        "bind its value to a symbol with `R.match_cast` first");
}

Scalar ValueReader::dim(const PyExpr& e) {
  Scalar s = e.kind == PyKind::String ? quoted(e) : scalar(e);
  if (const int64_t* value = find_int(s); value && !s->dtype.is_bool())
    return IntImm::make(DType::int_(64), *value, s->span);
  if (s->dtype != DType::int_(64))
    error("E0115", e, fmt::format("a dimension is an int64, `{}` is of type {}", unparse(e), s->dtype.str()),
          "convert it with `T.int64(…)`");
  return s;
}

std::optional<std::vector<Scalar>> ValueReader::host_dims(const PyExpr& e) {
  std::optional<HostValue> value = ask_host(e);
  const AttrValue* attr = value ? std::get_if<AttrValue>(&*value) : nullptr;
  if (!attr) return std::nullopt;
  if (const Expr* x = attr->find<Expr>())
    if (const auto* written = find<ShapeExpr>(*x)) return written->values;
  const AttrList* list = attr->find<AttrList>();
  if (!list) return std::nullopt;
  std::vector<Scalar> out;
  for (const AttrValue& item : *list) {
    const int64_t* i = item.find<int64_t>();
    const Scalar* s = item.find<Scalar>();
    const std::string* text = item.find<std::string>();
    if (!i && !s && !text)
      error("E0110", e, fmt::format("`{}` is no shape", unparse(e)), "a shape is a list of integers and symbols");
    if (text)
      out.push_back(dim({.kind = PyKind::String, .place = e.place, .text = *text}));
    else
      out.push_back(i ? int_imm(*i) : *s);
  }
  return out;
}

std::vector<Scalar> ValueReader::dims(const PyExpr& sequence) {
  std::vector<Scalar> out;
  for (const PyExpr* e : elements(sequence)) {
    if (e->kind == PyKind::Starred) {
      std::optional<std::vector<Scalar>> several = host_dims(*e->items[0]);
      if (!several) error("E0110", *e, fmt::format("`{}` cannot be unpacked here", unparse(*e)));
      out.insert(out.end(), several->begin(), several->end());
    } else {
      out.push_back(dim(*e));
    }
  }
  return out;
}

Ref<VDevice> ValueReader::device(const PyExpr& e) {
  if (e.is_literal("None")) return nullptr;
  if (e.kind == PyKind::String) return ctx_.device(e.text, e.place);
  if (e.kind == PyKind::Call && dialect_name(*e.items[0]) == std::pair<char, std::string>('I', "vdevice"))
    return find_ref<VDevice>(global_info(e));
  std::optional<HostValue> value = ask_host(e);
  const AttrValue* attr = value ? std::get_if<AttrValue>(&*value) : nullptr;
  if (const std::string* name = attr ? attr->find<std::string>() : nullptr) return ctx_.device(*name, e.place);
  if (const auto* info = attr ? attr->find<Ref<GlobalInfo>>() : nullptr)
    if (Ref<VDevice> d = find_ref<VDevice>(*info)) return d;
  error("E0110", e, fmt::format("`{}` is no device", unparse(e)), "write \"cuda:0\", \"vdevice:1\" or `I.vdevice(…)`");
}

Type ValueReader::tensor(const PyExpr& e) {
  std::vector<const PyExpr*> given = bind(e, "R.Tensor", {"shape", "dtype", "vdevice", "ndim"});
  const PyExpr *shape_arg = given[0], *dtype_arg = given[1], *rank_arg = given[3];
  // R.Tensor("float32"): a single string argument is the dtype.
  if (shape_arg && shape_arg->kind == PyKind::String && !dtype_arg) std::swap(shape_arg, dtype_arg);
  DType type = dtype_arg ? dtype(*dtype_arg) : DType::void_();
  Ref<VDevice> where = given[2] ? device(*given[2]) : nullptr;
  int64_t rank = rank_arg ? integer(*rank_arg, "`ndim`") : kUnknownRank;
  if (rank < kUnknownRank || rank > 1000)
    error("E0115", *rank_arg, fmt::format("`ndim` is a number of dimensions or -1, got {}", rank));
  if (!shape_arg) return TensorType::make_unknown(type, static_cast<int>(rank), std::move(where), span(e));

  Type result;
  const Ref<Var>* var = shape_arg->kind == PyKind::Name ? scope_.find_as<Ref<Var>>(shape_arg->text) : nullptr;
  if (var) {
    if (!find<ShapeType>((*var)->type)) error("E0115", *shape_arg, fmt::format("`{}` is no shape", shape_arg->text));
    result = TensorType::make_with_shape(*var, type, std::move(where), span(e));
  } else if (shape_arg->is_sequence()) {
    result = TensorType::make(dims(*shape_arg), type, std::move(where), span(e));
  } else if (std::optional<std::vector<Scalar>> known = host_dims(*shape_arg)) {
    for (Scalar& d : *known)
      if (d->dtype != DType::int_(64))
        error("E0115", *shape_arg, fmt::format("a dimension is an int64, got {}", d->dtype.str()));
    result = TensorType::make(std::move(*known), type, std::move(where), span(e));
  } else {
    const PyExpr* root = root_name(*shape_arg);
    if (root && !scope_.find(root->text) && dialect_name(*shape_arg).first == 0) unknown_name(*shape_arg);
    error("E0115", *shape_arg, fmt::format("`{}` is no shape", unparse(*shape_arg)),
          "write the dimensions in brackets, as in `R.Tensor((2, 3))`");
  }
  if (rank != kUnknownRank && find<TensorType>(result)->rank != rank)
    error("E0115", e, fmt::format("the shape has {} dimensions, `ndim` says {}", find<TensorType>(result)->rank, rank),
          "leave `ndim` out");
  return result;
}

Type ValueReader::shape(const PyExpr& e) {
  std::vector<const PyExpr*> given = bind(e, "R.Shape", {"values", "ndim"});
  int64_t rank = given[1] ? integer(*given[1], "`ndim`") : kUnknownRank;
  if (rank < kUnknownRank || rank > 1000)
    error("E0115", *given[1], fmt::format("`ndim` is a number of dimensions or -1, got {}", rank));
  if (!given[0]) return ShapeType::make_unknown(static_cast<int>(rank), span(e));
  std::vector<Scalar> values;
  if (given[0]->is_sequence()) {
    values = dims(*given[0]);
  } else if (std::optional<std::vector<Scalar>> known = host_dims(*given[0])) {
    values = std::move(*known);
  } else {
    error("E0115", *given[0], fmt::format("`{}` is no list of dimensions", unparse(*given[0])),
          "write `R.Shape([2, 3])`");
  }
  if (rank != kUnknownRank && rank != static_cast<int64_t>(values.size()))
    error("E0115", e, fmt::format("the shape has {} dimensions, `ndim` says {}", values.size(), rank),
          "leave `ndim` out");
  return ShapeType::make(std::move(values), span(e));
}

Type ValueReader::prim(const PyExpr& e) {
  std::vector<const PyExpr*> given = bind(e, "R.Prim", {"dtype", "value"});
  std::optional<DType> type;
  if (given[0]) type = dtype(*given[0]);
  if (!given[1]) {
    if (!type || type->is_void()) error("E0115", e, "`R.Prim` needs a dtype or a value", "write `R.Prim(\"int64\")`");
    return PrimType::make(*type, span(e));
  }
  Scalar known = given[1]->kind == PyKind::String ? quoted(*given[1]) : scalar(*given[1]);
  if (type && known->dtype != *type) {
    if (const int64_t* i = find_int(known); i && type->is_integral())
      known = IntImm::make(*type, *i, known->span);
    else
      error("E0115", e, fmt::format("the value is of type {}, the dtype says {}", known->dtype.str(), type->str()));
  }
  return PrimType::of_value(std::move(known), span(e));
}

Type ValueReader::tuple(const PyExpr& e) {
  std::vector<Type> fields;
  if (e.kind == PyKind::Call) {
    if (!e.keywords.empty())
      ctx_.error("E0109", e.keywords[0].place, fmt::format("`R.Tuple` has no argument named `{}`", e.keywords[0].name));
    bool listed = e.arg_count() == 1 && e.arg(0).is_sequence();
    for (size_t i = 0; i < e.arg_count(); ++i)
      for (const PyExpr* field : listed ? elements(e.arg(i)) : std::vector<const PyExpr*>{&e.arg(i)})
        fields.push_back(type(*field));
  }
  return TupleType::make(std::move(fields), span(e));
}

Type ValueReader::callable(const PyExpr& e) {
  std::vector<const PyExpr*> given = bind(e, "R.Callable", {"params", "ret", "purity"});
  Type result = given[1] ? type(*given[1]) : AnyType::make();
  bool has_params = given[0] != nullptr;
  bool is_pure = given[2] ? flag(*given[2], "`purity`") : has_params;
  if (!has_params) return CallableType::make_opaque(std::move(result), is_pure, span(e));
  std::vector<Type> params;
  for (const PyExpr* p : elements(*given[0])) params.push_back(type(*p));
  return CallableType::make(std::move(params), std::move(result), is_pure, span(e));
}

}  // namespace sunmao::script
