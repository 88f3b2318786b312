// RelaxReader for expressions of graph-level functions.
#include "ir/infer.h"
#include "script/relax_reader.h"
#include "support/spelling.h"

namespace sunmao::script {

// Returns a value that is to be bound or returned; fails (E0110) when it has no type, like a function of the module,
// which is no value.
Expr RelaxReader::typed(Expr e, const PyExpr& at) const {
  if (e && e->type) return e;
  if (e && e->kind == ExprKind::GlobalVar)
    error("E0110", at, fmt::format("`{}` is a function of the module, not a value", unparse(at)),
          "call it, bind it to a name, or hand it to `R.call_tir`");
  error("E0110", at, fmt::format("`{}` has no type that is known", unparse(at)));
}

// Binds a function of the module to a new variable with the type of its signature; outside of a body returns the
// function itself.
Expr RelaxReader::function_value(const Ref<GlobalVar>& var, const PyExpr& e) {
  FunctionDecl* decl = ctx_.find_global(var->name);
  if (!decl || decl->var != var || !body_) return var;
  Type signature = ctx_.signature(*decl, e.place);
  Ref<Var> value =
      outputs_ ? Var::make_dataflow(var->name, signature, span(e)) : Var::make(var->name, signature, span(e));
  body_->bindings.push_back({value, var, nullptr, span(e)});
  return value;
}

// Reads an expression that is returned or is a field of a tuple; a function of the module is bound to a variable
// first.
Expr RelaxReader::field(const PyExpr& e) {
  Expr value = expr(e);
  Ref<GlobalVar> var = find_ref<GlobalVar>(value);
  return var ? function_value(var, e) : value;
}

Expr RelaxReader::from_host(const HostValue& value, const PyExpr& e) {
  if (const Array* array = std::get_if<Array>(&value)) return Constant::make(*array, span(e));
  if (std::holds_alternative<std::shared_ptr<const HostMacro>>(value))
    error("E0110", e, fmt::format("`{}` is a macro, not a value", unparse(e)), "call it");
  const AttrValue& attr = std::get<AttrValue>(value);
  if (const Expr* x = attr.find<Expr>(); x && *x) return *x;
  if (const std::string* s = attr.find<std::string>()) return StringLiteral::make(*s, span(e));
  if (const DType* t = attr.find<DType>()) return DTypeLiteral::make(*t, span(e));
  if (const AttrList* list = attr.find<AttrList>()) {
    std::vector<Expr> fields;
    for (const AttrValue& item : *list) fields.push_back(from_host(item, e));
    return Tuple::make(std::move(fields), span(e));
  }
  if (attr.is_none()) error("E0110", e, fmt::format("`{}` is None", unparse(e)), "an expression is asked for here");
  return PrimValue::make(ScalarReader::from_host(value, e), span(e));
}

// True when arithmetic on `e` is scalar rather than tensor arithmetic.
bool RelaxReader::is_scalar_expr(const PyExpr& e) const {
  switch (e.kind) {
    case PyKind::Number:
    case PyKind::Literal: return true;
    case PyKind::Name: {
      const Named* bound = scope_.find(e.text);
      const Ref<Var>* var = bound ? std::get_if<Ref<Var>>(bound) : nullptr;
      if (var) return find<PrimType>((*var)->type) != nullptr;
      return bound ? std::holds_alternative<Scalar>(*bound)
                   : scope_.find_symbol(e.text) || scope_.find_declared(e.text);
    }
    case PyKind::Unary: return is_scalar_expr(*e.items[0]);
    case PyKind::Binary: return is_scalar_expr(*e.items[0]) && is_scalar_expr(*e.items[1]);
    case PyKind::Call: return dialect_name(*e.items[0]).first == 'T';
    default: return false;
  }
}

Expr RelaxReader::expr(const PyExpr& e) {
  switch (e.kind) {
    case PyKind::Name: return name(e);
    case PyKind::Number: return PrimValue::make(scalar(e), span(e));
    case PyKind::String: return StringLiteral::make(e.text, span(e));
    case PyKind::Literal:
      if (e.text == "True" || e.text == "False") return PrimValue::make(scalar(e), span(e));
      error("E0110", e, fmt::format("`{}` is no expression", e.text));
    case PyKind::Tuple:
    case PyKind::List: return tuple(e);
    case PyKind::Attribute: return attribute(e);
    case PyKind::Subscript: return subscript(e);
    case PyKind::Unary:
    case PyKind::Binary: return operation(e);
    case PyKind::Call: return call(e);
    default: error("E0105", e, fmt::format("`{}` is not part of the dialect at the graph level", unparse(e)));
  }
}

// Reads the graph-level expressions that an attribute value may hold: variables and their fields, functions of the
// module, entries of the constant table, `R.` names and calls; null for other expressions.
Expr RelaxReader::expr_value(const PyExpr& e) {
  if (module_function(e)) return expr(e);
  if (e.kind == PyKind::Name) return scope_.find_as<Ref<Var>>(e.text) ? expr(e) : nullptr;
  if (e.kind == PyKind::Subscript) {
    const PyExpr* root = root_name(e);
    return root && (root->text == "metadata" || scope_.find_as<Ref<Var>>(root->text)) ? expr(e) : nullptr;
  }
  auto [dialect, name] = dialect_name(e.kind == PyKind::Call ? *e.items[0] : e);
  if (dialect == 'R') return expr(e);
  return nullptr;
}

Expr RelaxReader::name(const PyExpr& e) {
  if (const Ref<Var>* var = scope_.find_as<Ref<Var>>(e.text)) return *var;
  if (const Scalar* s = scope_.find_as<Scalar>(e.text)) return PrimValue::make(*s, span(e));
  if (const AttrValue* plain = scope_.find_as<AttrValue>(e.text)) return from_host(*plain, e);
  if (Ref<SymVar> symbol = scope_.find_symbol(e.text)) return PrimValue::make(symbol, span(e));
  if (scope_.find_declared(e.text)) return PrimValue::make(scalar(e), span(e));
  if (is_module(e)) error("E0110", e, "the module is no value", "name one of its functions");
  if (FunctionDecl* decl = module_function(e)) return decl->var;
  if (std::optional<HostValue> value = ask_host(e)) return from_host(*value, e);
  unknown_name(e);
}

Expr RelaxReader::attribute(const PyExpr& e) {
  if (FunctionDecl* decl = module_function(e)) return decl->var;
  auto [dialect, name] = dialect_name(e);
  if (dialect == 'R') {
    if (Ref<Op> op = ctx_.ops().find(name)) return op;
    error("E0107", e, fmt::format("`R.{}` is no expression", name), is_type(e) ? "it is a type" : "");
  }
  if (std::optional<HostValue> value = ask_host(e)) return from_host(*value, e);
  const PyExpr* root = root_name(e);
  if (root && !scope_.find(root->text)) unknown_name(e);
  error("E0105", e, fmt::format("`{}`: expressions have no attributes in the dialect", unparse(e)),
        "write `R.shape_of(x)` and its like");
}

Expr RelaxReader::subscript(const PyExpr& e) {
  const PyExpr &base = *e.items[0], &index = *e.items[1];
  if (Expr data = constant(e)) return data;
  if (const PyExpr* root = root_name(e);
      root && !scope_.find(root->text) && dialect_name(base).first == 0 && !is_module(*root)) {
    if (std::optional<HostValue> value = ask_host(e)) return from_host(*value, e);
  }
  Expr tuple = typed(expr(base), base);
  int64_t at = integer(index, "the number of a field");
  if (at < 0 || at > std::numeric_limits<int>::max())
    error("E0110", index, fmt::format("fields count from 0, got {}", at));
  return TupleGetItem::make(std::move(tuple), static_cast<int>(at), span(e));
}

Expr RelaxReader::tuple(const PyExpr& sequence) {
  std::vector<Expr> fields;
  for (const PyExpr* e : elements(sequence)) {
    if (e->kind == PyKind::Starred) error("E0105", *e, "tuples are written out, not unpacked");
    fields.push_back(field(*e));
  }
  return Tuple::make(std::move(fields), span(sequence));
}

// Operators on tensors become op calls; on symbols and numbers, scalar arithmetic.
Expr RelaxReader::operation(const PyExpr& e) {
  if (is_scalar_expr(e)) return PrimValue::make(scalar(e), span(e));
  static const std::unordered_map<std::string, const char*> kBinary{
      {"+", "add"},           {"-", "subtract"}, {"*", "multiply"},       {"/", "divide"},
      {"//", "floor_divide"}, {"%", "mod"},      {"**", "power"},         {"<", "less"},
      {"<=", "less_equal"},   {">", "greater"},  {">=", "greater_equal"}, {"==", "equal"},
      {"!=", "not_equal"}};
  bool is_unary = e.kind == PyKind::Unary;
  auto it = kBinary.find(e.text);
  const char* name = is_unary ? (e.text == "-" ? "negative" : nullptr) : it == kBinary.end() ? nullptr : it->second;
  Ref<Op> op = name ? ctx_.ops().find(name) : nullptr;
  if (!op)
    error("E0107", e, fmt::format("`{}` is no operation on tensors here", e.text),
          "call an op by its name, as in `R.add(x, y)`");
  std::vector<Expr> args;
  for (const PyExprPtr& item : e.items) args.push_back(expr(*item));
  return make_call(op, std::move(args), {}, {}, e);
}

std::vector<Expr> RelaxReader::arguments(const PyExpr& call, size_t from) {
  std::vector<Expr> out;
  for (size_t i = from; i < call.arg_count(); ++i) {
    if (call.arg(i).kind == PyKind::Starred) error("E0105", call.arg(i), "arguments are written out, not unpacked");
    out.push_back(expr(call.arg(i)));
  }
  return out;
}

// Returns what the names of the script in `e` are bound to: scalars, plain values and variables.
AttrMap RelaxReader::named_values(const PyExpr& e) const {
  AttrMap names = scalar_names(e);
  visit_exprs(e, [&](const PyExpr& part) {
    if (part.kind != PyKind::Name) return;
    if (const Ref<Var>* var = scope_.find_as<Ref<Var>>(part.text))
      names.insert_or_assign(part.text, AttrValue(Expr(*var)));
  });
  return names;
}

Expr RelaxReader::call(const PyExpr& e) {
  const PyExpr& callee = *e.items[0];
  auto [dialect, name] = dialect_name(callee);
  if (dialect == 'R') return construct(e, name);
  if (dialect == 'T') return PrimValue::make(scalar(e), span(e));
  if (std::optional<Macro> macro = find_macro(callee)) return expand(e, *macro);
  if (FunctionDecl* decl = module_function(callee)) return call_global(e, decl->var);
  const PyExpr* root = root_name(callee);
  bool is_method = callee.kind == PyKind::Attribute && callee.text == "astype" && root && scope_.find(root->text);
  if (Ref<Op> op = is_method ? ctx_.ops().find("astype") : nullptr) {
    check_arity(e, "astype", 1, 1);
    return make_call(op, {expr(*callee.items[0])}, Attrs({{"dtype", named_value("dtype", e.arg(0))}}), {}, e);
  }
  bool is_free = root && !scope_.find(root->text) && !is_module(*root) && !is_dialect_root(*root);
  if (is_free && callee.kind != PyKind::Call) {
    // The host is asked for the callee first (an op or function), then for the value of the whole call.
    std::optional<HostValue> value = ask_host(callee);
    const AttrValue* attr = value ? std::get_if<AttrValue>(&*value) : nullptr;
    if (const Expr* known = attr ? attr->find<Expr>() : nullptr; known && *known) return call_function(e, *known);
  }
  if (is_free) {
    // The function of the host receives variables of the script as expressions.
    std::optional<HostValue> value = is_of_host(e) ? ctx_.host(e, named_values(e)) : std::nullopt;
    if (value) return from_host(*value, e);
    unknown_name(e);
  }
  return call_function(e, expr(callee));
}

Expr RelaxReader::call_function(const PyExpr& e, Expr callee) {
  if (Ref<Op> op = find_ref<Op>(callee)) return op_call(e, op);
  if (Ref<GlobalVar> var = find_ref<GlobalVar>(callee)) return call_global(e, var);
  if (!e.keywords.empty()) ctx_.error("E0109", e.keywords[0].place, "functions take positional arguments only");
  bool is_value =
      callee->kind == ExprKind::Var || callee->kind == ExprKind::TupleGetItem || callee->kind == ExprKind::Call;
  bool callable = is_value && (find<CallableType>(callee->type) || find<AnyType>(callee->type));
  if (!callable)
    error("E0110", e, fmt::format("`{}` is {}, which is not called", unparse(*e.items[0]), describe(callee->type)));
  return make_call(std::move(callee), arguments(e, 0), {}, {}, e);
}

Expr RelaxReader::call_global(const PyExpr& e, const Ref<GlobalVar>& var) {
  if (!e.keywords.empty()) ctx_.error("E0109", e.keywords[0].place, "functions take positional arguments only");
  std::vector<Expr> args = arguments(e, 0);
  for (size_t i = 0; i < args.size(); ++i) args[i] = typed(std::move(args[i]), e.arg(i));
  FunctionDecl* decl = ctx_.find_global(var->name);
  Type signature = decl && decl->var == var ? ctx_.signature(*decl, e.place) : nullptr;
  const auto* callable = find<CallableType>(signature);
  Type result = callable ? infer_call(*callable, args, span(e), var->name) : AnyType::make();
  return Call::make_typed(var, std::move(args), {}, {}, std::move(result), span(e));
}

Expr RelaxReader::make_call(Expr callee, std::vector<Expr> args, Attrs attrs, std::vector<Type> types,
                            const PyExpr& e) {
  Ref<Call> result = Call::make(std::move(callee), std::move(args), std::move(attrs), std::move(types), span(e));
  return typed(result, e);
}

Expr RelaxReader::extern_function(const PyExpr& e) {
  // `global_name` is only accepted here; ModuleReader, which declares the extern function, reads it.
  std::vector<std::string> names{"name", "ty", "attrs", "global_name"};
  std::vector<const PyExpr*> given = bind_arguments(ctx_, e, "R.ExternFunc", names);
  if (!given[0]) error("E0108", e, "`R.ExternFunc` needs a name");
  std::string symbol = text(*given[0], "the name");
  const bool is_typed = given[1] && !given[1]->is_literal("None");
  Expr func = is_typed ? ExternFunc::make_typed(std::move(symbol), type(*given[1]), span(e))
                       : ExternFunc::make(std::move(symbol), span(e));
  return given[2] ? Expr(find<ExternFunc>(func)->with_attrs(Attrs(map(*given[2])))) : func;
}

// Reads `R.<name>(…)`: names with a syntax of their own come first, then the ops of the table.
Expr RelaxReader::construct(const PyExpr& e, const std::string& name) {
  auto one = [&]() -> const PyExpr& {
    if (e.arg_count() != 1 || !e.keywords.empty())
      error("E0108", e, fmt::format("`R.{}` takes one argument, got {}", name, e.arg_count() + e.keywords.size()));
    return e.arg(0);
  };
  if (name == "const") return Constant::make(constant_data(e), span(e));
  if (name == "Call") return written_call(e);
  if (name == "shape" || name == "ShapeExpr") {
    const PyExpr& sizes = one();
    std::optional<std::vector<Scalar>> known = sizes.is_sequence() ? std::nullopt : host_dims(sizes);
    return ShapeExpr::make(known ? std::move(*known) : dims(sizes), span(e));
  }
  if (name == "tuple" || name == "Tuple") {
    bool listed = e.arg_count() == 1 && e.arg(0).is_sequence() && name == "Tuple";
    return listed ? tuple(e.arg(0)) : Expr(Tuple::make(arguments(e, 0), span(e)));
  }
  if (name == "prim_value") {
    // In `R.prim_value(value=n)`, `n` is the symbol itself even when a parameter has the same name.
    if (const PyExpr* given = e.find_keyword("value"); given && e.arg_count() == 0)
      return PrimValue::make(scalar(*given), span(e));
    const PyExpr& value = one();
    const Ref<Var>* var = value.kind == PyKind::Name ? scope_.find_as<Ref<Var>>(value.text) : nullptr;
    return var ? Expr(*var) : PrimValue::make(scalar(value), span(e));
  }
  if (name == "TupleGetItem") {
    std::vector<std::string> names{"tuple_value", "index"};
    std::vector<const PyExpr*> given = bind_arguments(ctx_, e, "R.TupleGetItem", names);
    if (!given[0] || !given[1]) error("E0108", e, "`R.TupleGetItem` needs a tuple and an index");
    return TupleGetItem::make(expr(*given[0]), static_cast<int>(integer(*given[1], "the index")), span(e));
  }
  if (name == "str") return StringLiteral::make(text(one(), "the text"), span(e));
  if (name == "dtype") return DTypeLiteral::make(dtype(one()), span(e));
  if (name == "ExternFunc") return extern_function(e);
  if (name == "emit_with_ty" || name == "emit_with_type" || name == "emit_with_sinfo") return emit_with_type(e, name);
  if (name == "emit_te") return emit_te(e);
  if (name == "match_cast")
    error("E0110", e, "`R.match_cast` is bound to a name where it stands", "write `y = R.match_cast(x, …)`");
  if (is_packed_call(name))
    return name == "call_packed" || name == "call_pure_packed" ? call_packed(e, name) : call_tir(e, name);
  return op_call(e, name);
}

}  // namespace sunmao::script
