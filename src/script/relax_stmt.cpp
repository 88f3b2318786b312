// RelaxReader for statements: bindings, dataflow blocks, branches, nested functions.
#include <algorithm>

#include "ir/equal.h"
#include "ir/infer.h"
#include "script/decorator.h"
#include "script/relax_reader.h"

namespace sunmao::script {

void RelaxReader::Body::flush() {
  if (bindings.empty()) return;
  Span at = bindings.front().span;
  blocks.push_back(BindingBlock::make(std::exchange(bindings, {}), std::move(at)));
}

void RelaxReader::statements(const std::vector<PyStmt>& body, Body& out, Place place) {
  Body* around = std::exchange(body_, &out);
  for (const PyStmt& s : body) {
    if (out.result) ctx_.error("E0112", s.place, "nothing may follow `return`", "a function returns once, at its end");
    ctx_.read_at(s.place, [&] { statement(s, out, place); });
  }
  body_ = around;
}

void RelaxReader::statement(const PyStmt& s, Body& out, Place place) {
  switch (s.kind) {
    case PyStmtKind::Pass: return out.flush();  // separates binding blocks
    case PyStmtKind::Import: return;
    case PyStmtKind::Expr: return expression_statement(s, out, place);
    case PyStmtKind::Assign:
    case PyStmtKind::Annotated: return assignment(s, out);
    case PyStmtKind::With: {
      if (place == Place::Dataflow) ctx_.error("E0114", s.place, "dataflow blocks do not nest");
      return dataflow(s, out, place);
    }
    case PyStmtKind::Function: return nested_function(s, out);
    case PyStmtKind::If: return branch(s, out, place);
    case PyStmtKind::Return: return return_(s, out, place);
    case PyStmtKind::Augmented:
      ctx_.error("E0105", s.place, "graph-level values are not changed in place", "bind the result to a new name");
    case PyStmtKind::For:
    case PyStmtKind::While:
    case PyStmtKind::Break:
    case PyStmtKind::Continue:
      ctx_.error("E0105", s.place, "graph-level functions have no loops",
                 "write a recursive function, or the loop in a `@T.prim_func`");
    case PyStmtKind::Assert:
      ctx_.error("E0105", s.place, "graph-level functions have no `assert`", "use `R.assert_op`");
    case PyStmtKind::Class: ctx_.error("E0105", s.place, "a function holds no class");
  }
}

void RelaxReader::expression_statement(const PyStmt& s, Body& out, Place place) {
  const PyExpr& e = *s.value;
  if (e.kind == PyKind::String || e.is_literal("...")) return;  // a docstring
  auto [dialect, name] = dialect_name(e.kind == PyKind::Call ? *e.items[0] : e);
  if (dialect == 'R' && name == "func_attr") {
    if (e.arg_count() != 1) error("E0108", e, "`R.func_attr` takes one dict");
    if (place != Place::Function) error("E0114", e, "attributes stand at the head of the function");
    for (auto& [key, v] : map(e.arg(0))) out.attrs.insert_or_assign(key, v);
    return;
  }
  if (dialect == 'R' && name == "output")
    error("E0114", e, "`R.output` ends a dataflow block", "move it to the end of its `with R.dataflow():`");
  Expr v = expr(e);
  if (!v) return;  // a macro without a result
  v = typed(std::move(v), e);
  bool is_nothing = find<Tuple>(v) && find<Tuple>(v)->fields.empty();
  if (v->kind != ExprKind::Call && !is_nothing)
    error("E0105", e, "a value that is not bound to a name has no effect", "write `x = …`, or remove the line");
  const auto* nothing = find<TupleType>(v->type);
  if (!find<AnyType>(v->type) && !(nothing && nothing->fields.empty()))
    error("E0105", e, fmt::format("the result of this call, {}, is not bound to a name", describe(v->type)),
          "write `x = …`; calls for their effect alone give an empty tuple");
  // A call made for its side effect is bound to a variable named `_`.
  Ref<Var> var =
      outputs_ ? Var::make_dataflow("_", v->type, ctx_.span(s.place)) : Var::make("_", v->type, ctx_.span(s.place));
  out.bindings.push_back({var, std::move(v), nullptr, ctx_.span(s.place)});
}

// Reads `n = T.int64()` and `n = TypeVar("n")`: declares a symbol, unless a scalar parameter has that name and type.
// False for other statements.
bool RelaxReader::scalar_declaration(const PyStmt& s, const Assigned& part) {
  const PyExpr& value = *part.value;
  std::optional<DType> type = declared_scalar(value);
  if (value.kind == PyKind::Call && dotted_name(*value.items[0]).ends_with("TypeVar")) type = DType::int_(64);
  if (!type || part.target->kind != PyKind::Name) return false;
  const std::string& name = part.target->text;
  if (s.kind == PyStmtKind::Annotated) {
    Type said = this->type(*s.annotation);
    const auto* prim = find<PrimType>(said);
    if (!prim || prim->dtype != *type)
      error("E0113", *s.annotation,
            fmt::format("`{}` is declared as {}, the annotation says {}", name, type->str(), describe(said)));
  }
  const Ref<Var>* param = scope_.find_as<Ref<Var>>(name);
  const auto* known = param ? find<PrimType>((*param)->type) : nullptr;
  if (known && find<SymVar>(known->value) && known->dtype == *type) return true;
  Ref<SymVar> symbol = scope_.find_symbol(name);
  if (symbol && symbol->dtype != *type)
    error("E0113", value,
          fmt::format("`{}` is an {} already, by the dimension that names it", name, symbol->dtype.str()),
          fmt::format("write `{} = T.{}()`", name, symbol->dtype.str()));
  scope_.define_symbol(name, *type, ctx_.span(s.place));
  return true;
}

// Reads `n = T.meta_var(value)` for a scalar or a variable: a name that only the reader resolves and that binds
// nothing. False for other statements.
bool RelaxReader::meta_variable(const Assigned& part) {
  const PyExpr& value = *part.value;
  bool is_meta = value.kind == PyKind::Call && dotted_name(*value.items[0]).ends_with(".meta_var") &&
                 value.arg_count() == 1 && part.target->kind == PyKind::Name;
  if (!is_meta) return false;
  const PyExpr& what = value.arg(0);
  if (is_scalar_expr(what)) {
    scope_.set(part.target->text, scalar(what));
    return true;
  }
  Ref<Var> var = find_ref<Var>(expr(what));
  if (var) scope_.set(part.target->text, var);
  return static_cast<bool>(var);
}

// Reads `cpu = tvm.ir.VDevice("llvm")` or `cpu = I.vdevice("llvm")`: a name for a device. False for other statements.
bool RelaxReader::device_name(const Assigned& part) {
  const PyExpr& value = *part.value;
  if (value.kind != PyKind::Call || part.target->kind != PyKind::Name) return false;
  const std::string name = dotted_name(*value.items[0]);
  if (!name.ends_with("VDevice") && !name.ends_with("vdevice")) return false;
  std::optional<HostValue> made = ask_host(value);
  const AttrValue* attr = made ? std::get_if<AttrValue>(&*made) : nullptr;
  if (!attr || !attr->find<Ref<GlobalInfo>>()) return false;
  scope_.set(part.target->text, *attr);
  return true;
}

// Reads a statement that only names symbols, meta variables or devices and binds nothing; false for other statements.
bool RelaxReader::symbol_declaration(const PyStmt& s) {
  std::vector<Assigned> parts = assigned_parts(s);
  for (const Assigned& part : parts)
    if (!meta_variable(part) && !device_name(part) && !scalar_declaration(s, part)) return false;
  return !parts.empty();
}

Ref<Var> RelaxReader::make_var(const std::string& name, Type type, const PyStmt& s) {
  bool leaves = true;
  if (outputs_) {
    auto it = outputs_->last.find(name);
    leaves = it != outputs_->last.end() && it->second == &s;
  }
  return leaves ? Var::make(name, std::move(type), ctx_.span(s.place))
                : Var::make_dataflow(name, std::move(type), ctx_.span(s.place));
}

void RelaxReader::check_annotation(const Type& annotation, const Type& inferred, const PyExpr& e,
                                   const std::string& name) {
  if (!inferred || structural_equal(annotation, inferred) || fits(annotation, inferred, analyzer_) != Fit::No) return;
  // An annotation more precise than the inferred type is accepted; a contradicting one is an error if types are
  // checked.
  if (find<AnyType>(annotation) || !ctx_.checks_types || !checks_types_) return;
  error("E0113", e, fmt::format("{} is {}, the annotation says {}", name, describe(inferred), describe(annotation)),
        "leave the annotation out, or state a type that the value has");
}

void RelaxReader::bind(const PyStmt& s, const PyExpr& target, Expr v, Type cast_type, Body& out) {
  if (target.kind != PyKind::Name)
    error("E0105", target, fmt::format("`{}` is no name", unparse(target)),
          "one binding has one name; take tuples apart with `x[0]`");
  Type var_type = cast_type ? cast_type : v->type;
  if (const auto* global = find<GlobalVar>(v))
    if (FunctionDecl* decl = ctx_.find_global(global->name)) var_type = ctx_.signature(*decl, s.place);
  if (s.kind == PyStmtKind::Annotated) {
    Type annotation = type(*s.annotation);
    check_annotation(annotation, var_type, *s.annotation, fmt::format("`{}`", target.text));
    // The known value of a scalar is kept when the annotation has its dtype and is not `R.Prim(dtype=…)`.
    const auto *said = find<PrimType>(annotation), *known = find<PrimType>(var_type);
    bool is_told = said && !said->value && known && known->value && said->dtype == known->dtype;
    if (!is_told || says_dtype_alone(*s.annotation)) var_type = annotation;
  }
  Ref<Var> var = make_var(target.text, std::move(var_type), s);
  out.bindings.push_back({var, std::move(v), std::move(cast_type), ctx_.span(s.place)});
  scope_.set(target.text, var);
}

void RelaxReader::assignment(const PyStmt& s, Body& out) {
  if (!s.value) error("E0105", *s.target, "an annotation alone binds nothing", "write `x: R.Tensor(…) = …`");
  const PyExpr& e = *s.value;
  if (symbol_declaration(s)) return;
  if (s.kind == PyStmtKind::Assign) {
    if (s.target->kind == PyKind::Name && is_module(e)) return scope_.set(s.target->text, ModuleAlias{});
  }
  if (e.kind == PyKind::Call && dialect_name(*e.items[0]) == std::pair<char, std::string>('R', "match_cast"))
    return match_cast(s, out);
  Expr v = module_function(e) ? expr(e) : typed(expr(e), e);
  // A literal takes the dtype of the annotation.
  if (s.kind == PyStmtKind::Annotated && find<PrimValue>(v) && number(e)) {
    Type said = type(*s.annotation);
    if (const auto* prim = find<PrimType>(said); prim && !prim->value)
      v = PrimValue::make(converted(find<PrimValue>(v)->value, prim->dtype), span(e));
  }
  bind(s, *s.target, std::move(v), nullptr, out);
}

void RelaxReader::match_cast(const PyStmt& s, Body& out) {
  std::vector<std::string> names{"value", "ty"};
  const PyExpr& call = *s.value;
  if (call.find_keyword("struct_info")) names[1] = "struct_info";
  std::vector<const PyExpr*> given = bind_arguments(ctx_, call, "R.match_cast", names);
  if (!given[0] || !given[1])
    error("E0108", call, "`R.match_cast` takes a value and a type", "write `R.match_cast(x, R.Tensor((n, 4)))`");
  Expr v = typed(expr(*given[0]), *given[0]);
  Type claimed = type(*given[1]);
  if (fits(claimed, v->type, analyzer_) == Fit::No && fits(v->type, claimed, analyzer_) == Fit::No)
    error("E0113", *given[1], fmt::format("the value is {} and can never be {}", describe(v->type), describe(claimed)));
  bind(s, *s.target, std::move(v), std::move(claimed), out);
}

namespace {

// True when the statement binds `name`; an `if` does so by the last line of its first branch.
bool binds(const PyStmt& line, const std::string& name) {
  if (line.kind == PyStmtKind::If) return !line.body.empty() && binds(line.body.back(), name);
  return (line.target && line.target->is_name(name)) || (line.kind == PyStmtKind::Function && line.name == name);
}

}  // namespace

void RelaxReader::dataflow(const PyStmt& s, Body& out, Place place) {
  const PyExpr& what = *s.with_items[0].value;
  bool is_dataflow =
      what.kind == PyKind::Call && dialect_name(*what.items[0]) == std::pair<char, std::string>('R', "dataflow");
  if (!is_dataflow || s.with_items.size() != 1)
    error("E0105", what, fmt::format("`with {}` means nothing at the graph level", unparse(what)),
          "write `with R.dataflow():`");
  auto output_of = [&](const PyStmt& line) -> const PyExpr* {
    bool is_call = line.kind == PyStmtKind::Expr && line.value->kind == PyKind::Call;
    return is_call && dialect_name(*line.value->items[0]) == std::pair<char, std::string>('R', "output")
               ? line.value.get()
               : nullptr;
  };
  const PyExpr* output = s.body.empty() ? nullptr : output_of(s.body.back());
  // A `return` that ends the block makes outputs of those of its elements that are names bound in the block.
  const PyStmt* result = s.body.empty() || s.body.back().kind != PyStmtKind::Return ? nullptr : &s.body.back();
  std::vector<const PyExpr*> names;
  for (size_t i = 0; output && i < output->arg_count(); ++i) names.push_back(&output->arg(i));
  if (result && result->value)
    for (const PyExpr* e : elements(*result->value))
      if (e->kind == PyKind::Name && std::ranges::any_of(s.body, [&](const PyStmt& l) { return binds(l, e->text); }))
        names.push_back(e);
  Outputs outputs;
  for (const PyExpr* item : names) {
    const PyExpr& name = *item;
    if (name.kind != PyKind::Name) error("E0114", name, "`R.output` takes names of the block");
    const PyStmt* last = nullptr;
    for (const PyStmt& line : s.body)
      if (binds(line, name.text)) last = &line;
    if (!last)
      error("E0114", name, fmt::format("`{}` is not bound in this dataflow block", name.text),
            "`R.output` names what the block computes");
    if (!outputs.last.emplace(name.text, last).second)
      error("E0114", name, fmt::format("`{}` is an output twice", name.text));
  }
  out.flush();
  Body inner;
  const Outputs* around = std::exchange(outputs_, &outputs);
  Body* outer_body = std::exchange(body_, &inner);
  std::vector<std::pair<std::string, Named>> leaving;
  {
    ScopeLevel level(scope_);
    for (const PyStmt& line : s.body)
      if (&line != &s.body.back() || (!output && !result)) statement(line, inner, Place::Dataflow);
    for (const auto& [name, line] : outputs.last)
      if (const Named* bound = scope_.find(name)) leaving.emplace_back(name, *bound);
  }
  outputs_ = around;
  body_ = outer_body;
  for (auto& [name, bound] : leaving) scope_.set(name, std::move(bound));
  out.blocks.push_back(BindingBlock::make_dataflow(std::move(inner.bindings), ctx_.span(s.place)));
  if (result) return_(*result, out, place);
}

void RelaxReader::nested_function(const PyStmt& s, Body& out) {
  if (decorator_kind(ctx_, s) != DecoratorKind::Graph)
    ctx_.error("E0117", s.place, "a function inside a function is marked `@R.function`");
  const Outputs* around = std::exchange(outputs_, nullptr);
  ++nesting_;
  Ref<Var> var;
  if (s.annotation) {  // known early, for recursive calls
    Type stated;
    {
      ScopeLevel level(scope_);
      stated = declared_type(s);
    }
    outputs_ = around;
    var = make_var(s.name, stated, s);
    outputs_ = nullptr;
    scope_.set(s.name, var);
  } else {
    declare_symbols(s);
  }
  Ref<Function> f = read_function(s, true);
  --nesting_;
  outputs_ = around;
  if (!var) var = make_var(s.name, f->type, s);
  out.bindings.push_back({var, f, nullptr, ctx_.span(s.place)});
  scope_.set(s.name, var);
}

// The last binding of a branch gives its value: a leaf becomes the value itself, a computed value stays bound.
Ref<SeqExpr> RelaxReader::branch_body(const std::vector<PyStmt>& body, const PyStmt& s, std::string& name,
                                      Type& annotated) {
  Body inner;
  ScopeLevel level(scope_);
  const Outputs* around = std::exchange(outputs_, nullptr);
  statements(body, inner, Place::Branch);
  outputs_ = around;
  if (inner.bindings.empty() && !inner.blocks.empty() && inner.blocks.back()->is_dataflow) {
    const BindingBlock& block = *inner.blocks.back();
    auto output = std::find_if(block.bindings.rbegin(), block.bindings.rend(),
                               [](const Binding& b) { return !b.var->is_dataflow; });
    if (output != block.bindings.rend()) {
      name = output->var->name;
      Expr result = output->var;
      return SeqExpr::make(std::move(inner.blocks), std::move(result), ctx_.span(s.place));
    }
  }
  if (inner.bindings.empty())
    ctx_.error("E0120", body.empty() ? s.place : body.back().place, "a branch ends with the binding that is its value",
               "write `y = …` as the last line of both branches");
  Binding last = inner.bindings.back();
  name = last.var->name;
  bool is_plain = !last.is_match_cast() && is_leaf(last.value) && last.value->kind != ExprKind::GlobalVar;
  Expr result = last.var;
  if (is_plain) {
    result = last.value;
    inner.bindings.pop_back();
  }
  const PyStmt& written = body.back();
  annotated = written.kind == PyStmtKind::Annotated ? last.var->type : Type();
  inner.flush();
  return SeqExpr::make(std::move(inner.blocks), std::move(result), ctx_.span(s.place));
}

void RelaxReader::branch(const PyStmt& s, Body& out, Place) {
  Expr condition = typed(expr(*s.value), *s.value);
  if (s.orelse.empty())
    ctx_.error("E0120", s.place, "a graph-level `if` has an `else`", "both branches bind the same name");
  std::string name, other;
  Type annotated, other_annotated;
  Ref<SeqExpr> then_branch = branch_body(s.body, s, name, annotated);
  Ref<SeqExpr> else_branch = branch_body(s.orelse, s, other, other_annotated);
  if (name != other)
    ctx_.error("E0120", s.orelse.back().place,
               fmt::format("the branches end in different names: `{}` and `{}`", name, other),
               "bind the same name last in both");
  Expr value = If::make(std::move(condition), std::move(then_branch), std::move(else_branch), ctx_.span(s.place));
  // The variable is annotated when both branches have the same annotation.
  bool stated = annotated && other_annotated && structural_equal(annotated, other_annotated);
  Ref<Var> var = make_var(name, stated ? annotated : value->type, s);
  out.bindings.push_back({var, std::move(value), nullptr, ctx_.span(s.place)});
  scope_.set(name, var);
}

void RelaxReader::return_(const PyStmt& s, Body& out, Place place) {
  if (place != Place::Function)
    ctx_.error("E0112", s.place, "`return` stands at the end of the function", "bind the value and return it there");
  if (!s.value) ctx_.error("E0112", s.place, "a graph-level function returns a value", "write `return x`");
  out.result = typed(field(*s.value), *s.value);
}

}  // namespace sunmao::script
