// RelaxReader for calls: of ops, as their records describe, and of functions outside the op library.
#include "script/relax_reader.h"
#include "support/spelling.h"

namespace sunmao::script {

Expr RelaxReader::op_call(const PyExpr& e, const std::string& name) {
  if (Ref<Op> op = ctx_.ops().find(name)) return op_call(e, op);
  std::vector<std::string> names{"const", "shape", "tuple", "prim_value", "match_cast", "call_packed"};
  for (const Ref<Op>& op : ctx_.ops().all()) names.push_back(op->name());
  error("E0107", *e.items[0], fmt::format("unknown op `R.{}`", name), did_you_mean(name, names));
}

namespace {

bool names_types(std::string_view keyword) {
  return keyword == "ty_args" || keyword == "sinfo_args" || keyword == "out_ty" || keyword == "out_sinfo";
}

}  // namespace

// Reads the explicit type arguments of a call: `ty_args=`, `out_ty=`, or the older name of either.
std::vector<Type> RelaxReader::type_args(const PyExpr& e) {
  std::vector<Type> out;
  for (const PyKeyword& k : e.keywords) {
    if (!names_types(k.name)) continue;
    if (!out.empty()) ctx_.error("E0109", k.place, fmt::format("`{}` is given under another name too", k.name));
    for (const PyExpr* t : elements(*k.value)) out.push_back(type(*t));
  }
  return out;
}

// Reads `R.emit_te(function, x, y)`: the host builds a loop-level function from tensor expressions, and the call of it.
Expr RelaxReader::emit_te(const PyExpr& e) {
  std::optional<HostValue> made = ctx_.host(e, named_values(e));
  const AttrValue* attr = made ? std::get_if<AttrValue>(&*made) : nullptr;
  const AttrList* parts = attr ? attr->find<AttrList>() : nullptr;
  if (!parts || parts->size() != 3)
    error("E0107", *e.items[0], "`R.emit_te` is a call of Python, which is not at hand",
          "read the script from Python, or write the function out with `@T.prim_func`");
  const std::string* hint = (*parts)[0].find<std::string>();
  const Expr *func = (*parts)[1].find<Expr>(), *call = (*parts)[2].find<Expr>();
  SUNMAO_CHECK(hint && func && call && find<Call>(*call), "the host made no call of {}", unparse(e));
  const Call& c = *find<Call>(*call);
  std::vector<Expr> args = c.args;
  args[0] = ctx_.add_function(*hint, find_ref<BaseFunc>(*func), e.place).var;
  return make_call(c.callee, std::move(args), c.attrs, c.type_args, e);
}

// Reads one argument as the kind of its parameter requires.
Expr RelaxReader::operand(const PyExpr& e, const OpParam& param, const Op& op) {
  if (param.kind == ParamKind::Shape && e.is_sequence()) return ShapeExpr::make(dims(e), span(e));
  if (param.kind == ParamKind::Shape && e.kind != PyKind::Call && ask_host(e)) {
    if (std::optional<std::vector<Scalar>> known = host_dims(e)) return ShapeExpr::make(std::move(*known), span(e));
  }
  if (param.kind == ParamKind::Func) return callee(e);
  Expr value = expr(e);
  if (!value->type && value->kind != ExprKind::GlobalVar && value->kind != ExprKind::Op)
    error("E0110", e, fmt::format("{}: `{}` has no type that is known", op.name(), param.name));
  return value;
}

// Assigns the arguments of a call to the op's parameters; arguments of a variadic parameter are appended to `rest`.
std::vector<const PyExpr*> RelaxReader::bind_parameters(const PyExpr& e, const Op& op,
                                                        std::vector<const PyExpr*>& rest) {
  std::string shown = "R." + op.name();
  const std::vector<OpParam>& params = op.info.params;
  std::vector<const PyExpr*> given(params.size(), nullptr);
  size_t variadic = params.size();
  for (size_t i = 0; i < params.size(); ++i)
    if (params[i].kind == ParamKind::Variadic) variadic = i;
  if (variadic == params.size() && e.arg_count() > params.size())
    error("E0108", e, fmt::format("`{}` takes at most {} arguments, got {}", shown, params.size(), e.arg_count()));
  for (size_t i = 0; i < e.arg_count(); ++i) {
    if (e.arg(i).kind == PyKind::Starred) error("E0105", e.arg(i), "arguments are written out, not unpacked");
    if (i >= variadic)
      rest.push_back(&e.arg(i));
    else
      given[i] = &e.arg(i);
  }
  for (const PyKeyword& k : e.keywords) {
    if (names_types(k.name)) continue;
    auto it = std::find_if(params.begin(), params.end(), [&](const OpParam& p) { return p.name == k.name; });
    if (it == params.end()) {
      std::vector<std::string> names;
      for (const OpParam& p : params) names.push_back(p.name);
      ctx_.error("E0109", k.place,
                 fmt::format("`{}` has no argument named `{}`", shown, k.name.empty() ? "**" : k.name),
                 did_you_mean(k.name, names));
    }
    size_t at = static_cast<size_t>(it - params.begin());
    if (given[at]) ctx_.error("E0109", k.place, fmt::format("`{}` of `{}` is given twice", k.name, shown));
    given[at] = k.value.get();
  }
  return given;
}

Expr RelaxReader::op_call(const PyExpr& e, const Ref<Op>& op) {
  std::vector<const PyExpr*> rest;
  std::vector<const PyExpr*> given = bind_parameters(e, *op, rest);
  return op_call(e, op, given, std::move(rest), type_args(e));
}

// Reads `R.emit_with_ty("relax.builtin.alloc_tensor", (x, y), (R.Tensor(…),))`: an op by name with explicit type
// arguments.
Expr RelaxReader::emit_with_type(const PyExpr& e, const std::string& shown) {
  std::vector<std::string> names{"op", "args", "ty_args"};
  if (e.find_keyword("sinfo_args")) names[2] = "sinfo_args";
  std::vector<const PyExpr*> call = bind_arguments(ctx_, e, "R." + shown, names);
  if (!call[0] || !call[1]) error("E0108", e, fmt::format("`R.{}` needs an op and its arguments", shown));
  std::string name = text(*call[0], "the name of an op");
  Ref<Op> op = ctx_.ops().find(name.starts_with("relax.") ? name.substr(6) : name);
  if (!op) error("E0107", *call[0], fmt::format("unknown op `{}`", name));
  const std::vector<OpParam>& params = op->info.params;
  std::vector<const PyExpr*> given = elements(*call[1]), rest;
  for (size_t i = 0; i < params.size() && i < given.size(); ++i) {
    if (params[i].kind != ParamKind::Variadic) continue;
    rest.assign(given.begin() + static_cast<std::ptrdiff_t>(i), given.end());
    given.resize(i);
  }
  if (given.size() > params.size())
    error("E0108", e,
          fmt::format("`R.{}` takes at most {} arguments, got {}", op->name(), params.size(), given.size()));
  given.resize(params.size(), nullptr);
  std::vector<Type> types;
  if (call[2])
    for (const PyExpr* t : elements(*call[2])) types.push_back(type(*t));
  return op_call(e, op, given, std::move(rest), std::move(types));
}

Expr RelaxReader::op_call(const PyExpr& e, const Ref<Op>& op, const std::vector<const PyExpr*>& given,
                          std::vector<const PyExpr*> rest, std::vector<Type> types) {
  const std::vector<OpParam>& params = op->info.params;
  std::vector<Expr> args;
  AttrMap attrs;
  size_t skipped = 0;
  for (size_t i = 0; i < params.size(); ++i) {
    const OpParam& p = params[i];
    bool is_spread = p.kind == ParamKind::Variadic || p.kind == ParamKind::List;
    if (!given[i] && !p.default_value && !is_spread)
      error("E0108", e, fmt::format("`R.{}` needs `{}`: {}", op->name(), p.name, p.doc));
    bool is_none = given[i] && given[i]->is_literal("None");
    if (p.kind == ParamKind::Attr) {
      if (given[i]) attrs.emplace(p.name, named_value(p.name, *given[i]));
    } else if (is_spread) {
      if (given[i] && !is_none) rest = given[i]->is_sequence() ? elements(*given[i]) : std::vector{given[i]};
      for (const PyExpr* item : rest) args.push_back(operand(*item, p, *op));
    } else if (!given[i] || (is_none && p.default_value && p.default_value->is_none())) {
      ++skipped;
    } else {
      for (; skipped > 0; --skipped) args.push_back(Tuple::make({}));
      args.push_back(operand(*given[i], p, *op));
    }
  }
  return make_call(op, std::move(args), Attrs(std::move(attrs)), std::move(types), e);
}

bool RelaxReader::is_packed_call(const std::string& name) const {
  return name == "call_tir" || name == "call_dps_packed" || name == "call_pure_packed" || name == "call_packed" ||
         name == "call_tir_inplace" || name == "call_tir_with_grad" || name.ends_with(".call_tir_local_view");
}

// Reads a callee: text names an extern function, anything else is an expression, such as a function of the module.
Expr RelaxReader::callee(const PyExpr& e) {
  if (e.kind == PyKind::String) return ExternFunc::make(e.text, span(e));
  return expr(e);
}

// Reads `R.call_tir(cls.f, (x, y), out_ty=R.Tensor(…), tir_vars=R.shape([n]))`, its variants and
// `R.call_dps_packed("f", …)`.
Expr RelaxReader::call_tir(const PyExpr& e, const std::string& name) {
  std::vector<std::string> names{"func", "args", "out_ty", "tir_vars"};
  if (name == "call_tir_with_grad") names = {"func", "args", "out_ty", "te_grad_name", "te_grad_kwargs", "tir_vars"};
  if (name == "call_tir_inplace") names = {"func", "args", "inplace_indices", "out_ty", "tir_vars"};
  if (name == "call_dps_packed") names = {"func", "args", "out_ty"};
  for (std::string& n : names) {
    if (n == "out_ty" && e.find_keyword("out_sinfo")) n = "out_sinfo";
    if (n == "func" && e.find_keyword("gvar")) n = "gvar";
  }
  std::vector<const PyExpr*> given = bind_arguments(ctx_, e, "R." + name, names);
  auto at = [&](std::string_view wanted) -> const PyExpr* {
    for (size_t i = 0; i < names.size(); ++i)
      if (names[i] == wanted || (wanted == "out_ty" && names[i] == "out_sinfo")) return given[i];
    return nullptr;
  };
  if (!given[0] || !given[1] || !at("out_ty"))
    error("E0108", e, fmt::format("`R.{}` needs a function, its arguments and `out_ty`", name));
  Expr func = callee(*given[0]);
  Expr args = given[1]->is_sequence() ? tuple(*given[1]) : typed(expr(*given[1]), *given[1]);
  if (name == "call_tir_inplace" && !find<Tuple>(args) && find<TupleType>(args->type))
    error("E0110", *given[1], "the arguments of `R.call_tir_inplace` are written out, some of them are given up",
          "write `(x, y)` in place of the tuple's name");
  if (!find<Tuple>(args) && !find<TupleType>(args->type)) args = Tuple::make({args}, args->span);
  std::vector<Type> types;
  for (const PyExpr* t : elements(*at("out_ty"))) types.push_back(type(*t));
  std::vector<Expr> operands{std::move(func), std::move(args)};
  AttrMap attrs;
  if (const PyExpr* vars = at("tir_vars"); vars && !vars->is_literal("None"))
    operands.push_back(vars->is_sequence() ? ShapeExpr::make(dims(*vars), span(*vars)) : typed(expr(*vars), *vars));
  for (const char* attr : {"inplace_indices", "te_grad_name", "te_grad_kwargs"})
    if (const PyExpr* given_attr = at(attr)) attrs.emplace(attr, value(*given_attr));
  Ref<Op> op = ctx_.ops().find(name);
  if (!op) error("E0107", *e.items[0], fmt::format("unknown op `R.{}`", name));
  return make_call(op, std::move(operands), Attrs(std::move(attrs)), std::move(types), e);
}

// Reads `R.call_packed("f", x, y, ty_args=R.Tensor(…))` as a call whose callee is the extern function, and
// `R.call_pure_packed` as a call of that op, whose operands are the function and a tuple of the arguments.
Expr RelaxReader::call_packed(const PyExpr& e, const std::string& name) {
  if (e.arg_count() == 0) error("E0108", e, fmt::format("`R.{}` needs a function", name));
  AttrMap attrs;
  for (const PyKeyword& k : e.keywords)
    if (!names_types(k.name)) attrs.emplace(k.name, named_value(k.name, *k.value));
  std::vector<Type> types = type_args(e);
  Expr func = callee(e.arg(0));
  if (name == "call_packed") {
    Ref<Call> result = Call::make(func, arguments(e, 1), Attrs(std::move(attrs)), std::move(types), span(e));
    return typed(result, e);
  }
  Ref<Op> op = ctx_.ops().find(name);
  if (!op) error("E0107", *e.items[0], fmt::format("unknown op `R.{}`", name));
  bool unpacked = e.arg_count() == 2 && e.arg(1).kind == PyKind::Starred;
  Expr args = unpacked ? expr(*e.arg(1).items[0]) : Tuple::make(arguments(e, 1), span(e));
  return make_call(op, {std::move(func), std::move(args)}, Attrs(std::move(attrs)), std::move(types), e);
}

// Reads `R.Call(op, [x, y], attrs={…}, ty_args=[…])`: a call given by its parts.
Expr RelaxReader::written_call(const PyExpr& e) {
  std::vector<std::string> names{"op", "args", "attrs", "ty_args"};
  if (e.find_keyword("sinfo_args")) names[3] = "sinfo_args";
  std::vector<const PyExpr*> given = bind_arguments(ctx_, e, "R.Call", names);
  if (!given[0] || !given[1]) error("E0108", e, "`R.Call` needs what is called, and its arguments");
  std::vector<Expr> args;
  for (const PyExpr* item : elements(*given[1])) args.push_back(expr(*item));
  AttrMap attrs = given[2] && !given[2]->is_literal("None") ? map(*given[2]) : AttrMap();
  std::vector<Type> types;
  if (given[3] && !given[3]->is_literal("None"))
    for (const PyExpr* t : elements(*given[3])) types.push_back(type(*t));
  return make_call(callee(*given[0]), std::move(args), Attrs(std::move(attrs)), std::move(types), e);
}

}  // namespace sunmao::script
