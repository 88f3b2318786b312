// PrimReader for statements of loop-level functions.
#include "script/decorator.h"
#include "script/prim_reader.h"

namespace sunmao::script {

void PrimReader::statement(const PyStmt& s, Items& out) {
  switch (s.kind) {
    case PyStmtKind::Import: return;
    case PyStmtKind::Pass: return;
    case PyStmtKind::Expr: return expression_statement(s, out);
    case PyStmtKind::Assign:
    case PyStmtKind::Annotated: return assignment(s, out);
    case PyStmtKind::Augmented: return augmented(s, out);
    case PyStmtKind::For: return for_(s, out);
    case PyStmtKind::While: return while_(s, out);
    case PyStmtKind::If: return if_(s, out);
    case PyStmtKind::With: return with(s, out);
    case PyStmtKind::Assert: return assert_(s, out);
    case PyStmtKind::Return: return return_(s, out);
    case PyStmtKind::Break:
    case PyStmtKind::Continue: return jump(s, out);
    case PyStmtKind::Function: return define_macro(s);
    case PyStmtKind::Class: ctx_.error("E0105", s.place, "a loop-level function holds no classes");
  }
}

void PrimReader::expression_statement(const PyStmt& s, Items& out) {
  const PyExpr& e = *s.value;
  if (e.kind == PyKind::String || e.is_literal("...")) return;
  if (e.kind == PyKind::Binary || e.kind == PyKind::Unary || e.kind == PyKind::Subscript) {
    out.push_back({Evaluate::make(scalar(e), span(e)), {}});
    return;
  }
  if (e.kind != PyKind::Call)
    error("E0105", e, "a value that nothing uses has no effect", "store it, or write `T.evaluate(…)`");
  if (std::optional<Macro> macro = find_macro(*e.items[0])) return expand(e, *macro, out);
  auto [dialect, name] = dialect_name(*e.items[0]);
  if (dialect != 'T') {
    if (!vector_store(e, s, out)) out.push_back({Evaluate::make(scalar(e), span(e)), {}});
    return;
  }
  if (name == "func_attr") {
    if (e.arg_count() != 1) error("E0108", e, "`T.func_attr` takes one dict");
    if (!block_ || !block_->is_function) error("E0116", e, "attributes of the function stand at its head");
    for (auto& [key, v] : map(e.arg(0))) attrs_.insert_or_assign(key, v);
  } else if (name == "evaluate") {
    check_arity(e, "T.evaluate", 1, 1);
    out.push_back({Evaluate::make(argument(e.arg(0)), span(e)), {}});
  } else if (name == "attr") {
    out.push_back(attr_item(e, s));
  } else if (name == "buffer_store") {
    check_arity(e, "T.buffer_store", 3, 4);
    Ref<Buffer> b = buffer(e.arg(0));
    const PyExpr* predicate = e.arg_count() == 4 ? &e.arg(3) : e.find_keyword("predicate");
    std::vector<Scalar> at = vector_indices(*b, e.arg(2), b->dtype);
    out.push_back({stored(b, std::move(at), scalar(e.arg(1)), e, s, mask(predicate)), {}});
  } else if (name == "launch_thread") {
    out.push_back(launch(e, nullptr));
  } else if (name == "Return") {
    check_arity(e, "T.Return", 1, 1);
    out.push_back(returned(scalar(e.arg(0)), s));
  } else if (name == "bind" && bind_statement(e, s, out)) {
    return;
  } else if (!block_statement(e, name)) {
    out.push_back({Evaluate::make(scalar(e), span(e)), {}});
  }
}

// Reads `T.bind(42, var=j)`: binds a declared variable.
bool PrimReader::bind_statement(const PyExpr& call, const PyStmt& s, Items& out) {
  const PyExpr* var = call.find_keyword("var");
  if (!var || call.arg_count() != 1) return false;
  Scalar named = scalar(*var), bound = scalar(call.arg(0));
  Ref<SymVar> symbol = find_ref<SymVar>(named);
  if (!symbol) error("E0110", *var, fmt::format("`{}` is no variable", unparse(*var)), "declare it with `T.int32()`");
  bound = converted(std::move(bound), symbol->dtype);
  Span at = ctx_.span(s.place);
  out.push_back({nullptr, [=](Stmt body) { return Bind::make(symbol, bound, std::move(body), at); }});
  return true;
}

// Reads `A.vstore([i], value)`.
bool PrimReader::vector_store(const PyExpr& call, const PyStmt& s, Items& out) {
  const PyExpr& callee = *call.items[0];
  const Ref<Buffer>* b = callee.kind == PyKind::Attribute ? find_buffer(*callee.items[0]) : nullptr;
  if (!b || callee.text != "vstore") return false;
  std::vector<std::string> names{"begin", "value", "predicate"};
  std::vector<const PyExpr*> given = bind_arguments(ctx_, call, "vstore", names);
  if (!given[0] || !given[1]) error("E0108", call, "`vstore` takes indices and a value");
  Scalar v = scalar(*given[1]);
  std::vector<Scalar> at = vector_indices(**b, *given[0], v->dtype);
  out.push_back({stored(*b, std::move(at), v, callee, s, mask(given[2])), {}});
  return true;
}

// Reads `break` and `continue`.
void PrimReader::jump(const PyStmt& s, Items& out) {
  bool ends = s.kind == PyStmtKind::Break;
  if (loop_depth_ == 0) ctx_.error("E0116", s.place, fmt::format("`{}` stands in a loop", ends ? "break" : "continue"));
  Span at = ctx_.span(s.place);
  out.push_back(
      {Evaluate::make(ScalarCall::make(ends ? "break_loop" : "continue_loop", DType::int_(32), {}, at), at), {}});
}

PrimReader::Item PrimReader::attr_item(const PyExpr& e, const PyStmt& s) {
  check_arity(e, "T.attr", 3, 3);
  if (std::optional<Item> thread = thread_attribute(e)) return *thread;
  const Ref<Buffer>* whole = find_buffer(e.arg(0));
  AttrValue node = whole && (*whole)->data ? AttrValue(Scalar((*whole)->data)) : value(e.arg(0));
  std::string key = text(e.arg(1), "the key");
  Scalar v = argument(e.arg(2));
  Span at = ctx_.span(s.place);
  return {nullptr, [=](Stmt body) { return AttrStmt::make(node, key, v, std::move(body), at); }};
}

namespace {

// Returns the type inside `T.let[T.int32]`, or the annotation itself.
const PyExpr& annotated_type(const PyExpr& e) {
  bool is_let = e.kind == PyKind::Subscript && dotted_name(*e.items[0]).ends_with(".let");
  return is_let ? *e.items[1] : e;
}

}  // namespace

PrimReader::Item PrimReader::let(const std::string& name, Scalar v, std::optional<DType> type, const PyStmt& s) {
  if (type && v->dtype != *type) {
    const auto* i = find<IntImm>(v);
    if (i && type->is_integral() && type->lanes == 1)
      v = integer_of(*type, i->value, i->span);
    else if (i && type->is_float() && type->lanes == 1)
      v = FloatImm::make(*type, static_cast<double>(i->value), i->span);
    else if (const auto* f = find<FloatImm>(v); f && type->is_float() && type->lanes == 1)
      v = FloatImm::make(*type, f->value, f->span);
    else
      ctx_.error("E0113", s.annotation ? s.annotation->place : s.place,
                 fmt::format("`{}` is of type {}, the annotation says {}", name, v->dtype.str(), type->str()),
                 "convert the value");
  }
  bool is_pointer = v->dtype.code == TypeCode::Handle && s.annotation;
  Ref<SymVar> var = is_pointer ? SymVar::make_handle(name, pointee(annotated_type(*s.annotation)), ctx_.span(s.place))
                               : SymVar::make(name, v->dtype, ctx_.span(s.place));
  scope_.set(name, Scalar(var));
  Span at = ctx_.span(s.place);
  return {nullptr, [=](Stmt body) { return Bind::make(var, v, std::move(body), at); }};
}

// Reads `n = T.int32()`: declares a symbol, unless the name stands for a scalar already. False for other statements.
bool PrimReader::declaration(const PyStmt& s) {
  std::vector<Assigned> parts = assigned_parts(s);
  for (const Assigned& part : parts) {
    std::optional<DType> type = declared_scalar(*part.value);
    if (!type || part.target->kind != PyKind::Name) return false;
    const std::string& name = part.target->text;
    Ref<SymVar> symbol = scope_.find_symbol(name);
    if (symbol && symbol->dtype != *type)
      error("E0113", *part.value, fmt::format("`{}` is an {} already", name, symbol->dtype.str()));
    if (const Scalar* bound = scope_.find_as<Scalar>(name)) {
      if ((*bound)->dtype != *type)
        error("E0113", *part.value, fmt::format("`{}` stands for an {} already", name, (*bound)->dtype.str()),
              "declare the symbol under another name, or as what it is");
      continue;
    }
    if (type->code == TypeCode::Handle)
      scope_.define_symbol(name, SymVar::make_handle(name, pointee(*part.value), ctx_.span(s.place)));
    else
      scope_.define_symbol(name, *type, ctx_.span(s.place));
  }
  return !parts.empty();
}

void PrimReader::assignment(const PyStmt& s, Items& out) {
  const PyExpr& target = *s.target;
  if (target.kind == PyKind::Name && cell_assignment(s, out)) return;
  if (!s.value) error("E0105", target, "an annotation alone binds nothing", "write `x: T.int32 = …`");
  const PyExpr& e = *s.value;
  if (target.kind == PyKind::Subscript) return store(target, scalar(e), s, out);
  auto [dialect, function] = dialect_name(e.kind == PyKind::Call ? *e.items[0] : e);
  if (e.kind == PyKind::Call && dialect == 'T' && function.starts_with("axis.")) {
    axis_assignment(s, e, function.substr(5));
    return;
  }
  if (s.kind == PyStmtKind::Assign && declaration(s)) return;
  if (target.is_sequence() && name_several(target, e)) return;
  if (target.kind != PyKind::Name)
    error("E0105", target, fmt::format("`{}` is no name", unparse(target)), "one binding has one name");
  const std::string& name = target.text;
  if (s.kind == PyStmtKind::Annotated) {
    const PyExpr& a = annotated_type(*s.annotation);
    bool open = a.kind == PyKind::Attribute && a.text == "let";
    std::optional<DType> type = open ? std::nullopt : std::optional(dtype(a));
    if (type && type->is_void()) error("E0115", a, "a variable needs a type");
    out.push_back(let(name, scalar(e), type, s));
    return;
  }
  if (e.kind == PyKind::Call && dialect != 'T' && view_assignment(s, e, out)) return;
  bool is_call = e.kind == PyKind::Call && dialect == 'T';
  if (is_call && (buffer_assignment(s, e, function, out) || thread_assignment(s, e, function, out) ||
                  scalar_allocation(s, e, function, out)))
    return;
  if (e.kind == PyKind::Name && scope_.find_as<Ref<Buffer>>(e.text)) return scope_.set(name, *scope_.find(e.text));
  if (e.is_sequence()) return scope_.set(name, scalars(e));
  bool is_bind = e.kind == PyKind::Call && dialect == 'T' && (function == "bind" || function == "let") &&
                 (e.arg_count() == 1 || e.arg_count() == 2);
  bool is_meta = e.kind == PyKind::Call && dotted_name(*e.items[0]).ends_with(".meta_var") && e.arg_count() == 1;
  if (is_meta) return meta_variable(name, e.arg(0));
  std::optional<DType> type = is_bind && e.arg_count() == 2 ? std::optional(dtype(e.arg(1))) : std::nullopt;
  out.push_back(let(name, scalar(is_bind ? e.arg(0) : e), type, s));
}

void PrimReader::store(const PyExpr& target, Scalar v, const PyStmt& s, Items& out) {
  Ref<Buffer> b = buffer(*target.items[0]);
  std::vector<Scalar> at = indices(*target.items[1], *b);
  out.push_back({stored(b, std::move(at), std::move(v), target, s), {}});
}

Stmt PrimReader::stored(const Ref<Buffer>& b, std::vector<Scalar> at, Scalar v, const PyExpr& target, const PyStmt& s,
                        Scalar mask) {
  Lanes lanes = at.empty() ? Lanes(1) : at.back()->dtype.all_lanes();
  lanes.count *= b->dtype.lanes;
  lanes.is_scalable = lanes.is_scalable || b->dtype.is_scalable;
  if (lanes.count > 4096) error("E0110", target, "a vector has at most 4096 lanes");
  if (v->dtype.is_void() || find<StringImm>(v))
    error("E0110", *s.value, fmt::format("`{}` has no value to store", unparse(*s.value)));
  bool has_handle = (v->dtype.code == TypeCode::Handle) != (b->dtype.code == TypeCode::Handle);
  DType wanted = b->dtype.element().with_lanes(v->dtype.all_lanes());
  if (!has_handle && v->dtype != wanted) v = converted(std::move(v), wanted);
  if ((lanes.count > 1 || lanes.is_scalable) && !v->dtype.is_vector())
    v = Broadcast::make(std::move(v), lanes, s.value ? span(*s.value) : Span());
  if (v->dtype.lanes != lanes.count || v->dtype.is_scalable != lanes.is_scalable)
    error("E0110", target, fmt::format("{} lanes are stored where {} are asked for", v->dtype.lanes, lanes.count),
          "use `T.Broadcast` or a slice of the same length");
  return BufferStore::make_masked(b, std::move(v), std::move(at), std::move(mask), ctx_.span(s.place));
}

// Reads `A[i] += x` and `x += 1` as a load, an operation and a store.
void PrimReader::augmented(const PyStmt& s, Items& out) {
  const PyExpr& target = *s.target;
  if (target.kind == PyKind::Subscript) {
    Scalar before = scalar(target);
    return store(target, combine(s.name, std::move(before), scalar(*s.value), *s.value), s, out);
  }
  Ref<Buffer> cell = target.kind == PyKind::Name ? find_cell(target.text) : nullptr;
  if (!cell)
    error("E0105", target, fmt::format("`{}` cannot be changed in place", unparse(target)),
          "assign it before: `x: T.int32 = 0`");
  Scalar before = BufferLoad::make(cell, {IntImm::make(DType::int_(32), 0)}, span(target));
  store_cell(cell, combine(s.name, std::move(before), scalar(*s.value), *s.value), s, out);
}

void PrimReader::while_(const PyStmt& s, Items& out) {
  Scalar condition = boolean(*s.value);
  Stmt body = loop_body(s.body);
  out.push_back({While::make(std::move(condition), std::move(body), ctx_.span(s.place)), {}});
}

// An `if` whose condition is `True`, `False` or a name of a known boolean is decided while reading; the taken branch
// replaces it.
void PrimReader::if_(const PyStmt& s, Items& out) {
  bool is_known = s.value->is_literal("True") || s.value->is_literal("False");
  if (!is_known && (s.value->kind == PyKind::Name || s.value->kind == PyKind::Attribute)) {
    std::optional<PlainNumber> known = number(*s.value);
    is_known = known && known->kind == PlainNumber::Kind::Bool;
  }
  if (is_known) {
    for (const PyStmt& inner : number(*s.value)->integer ? s.body : s.orelse) statement(inner, out);
    return;
  }
  Scalar condition = boolean(*s.value);
  Stmt then_case = sequence(s.body, nullptr);
  Stmt else_case = s.orelse.empty() ? nullptr : sequence(s.orelse, nullptr);
  out.push_back(
      {IfThenElse::make(std::move(condition), std::move(then_case), std::move(else_case), ctx_.span(s.place)), {}});
}

Stmt PrimReader::loop_body(const std::vector<PyStmt>& body) {
  ++loop_depth_;
  Stmt result = sequence(body, nullptr);
  --loop_depth_;
  return result;
}

// Reads `assert x, "text"` and the current `assert x, ("RuntimeError", ["text"])`.
void PrimReader::assert_(const PyStmt& s, Items& out) {
  std::string message, kind = "RuntimeError";
  if (s.annotation) {
    const PyExpr* m = s.annotation.get();
    if (m->kind == PyKind::Tuple && m->items.size() == 2) {
      kind = text(*m->items[0], "the kind of error");
      m = m->items[1].get();
    }
    for (const PyExpr* part : elements(*m)) message += text(*part, "the message");
  }
  out.push_back({Assert::make_of_kind(std::move(kind), boolean(*s.value), std::move(message), ctx_.span(s.place)), {}});
}

void PrimReader::return_(const PyStmt& s, Items& out) {
  if (!s.value) ctx_.error("E0112", s.place, "a loop-level function ends where its body ends", "remove the `return`");
  out.push_back(returned(scalar(*s.value), s));
}

PrimReader::Item PrimReader::returned(Scalar v, const PyStmt& s) const {
  DType type = v->dtype;
  Span at = ctx_.span(s.place);
  return {Evaluate::make(ScalarCall::make("ret", type, {std::move(v)}, at), at), {}};
}

void PrimReader::with(const PyStmt& s, Items& out) {
  const PyExpr& first = *s.with_items[0].value;
  auto [dialect, name] = dialect_name(first.kind == PyKind::Call ? *first.items[0] : first);
  if (dialect == 'T' && first.kind == PyKind::Call && (name == "sblock" || name == "block"))
    return block(s, first, out);
  if (dialect == 'T' && name == "init") return init(s);
  ScopeLevel level(scope_);
  Items items;
  for (const PyWithItem& item : s.with_items) items.push_back(with_item(item, s));
  items.push_back({sequence(s.body, nullptr), {}});
  out.push_back({fold(std::move(items)), {}});
}

// Reads an item of a `with`: `T.attr(…)`, `T.launch_thread(…)`, a definition (`T.let(x, 1)`, `T.LetStmt(1) as x`), or
// a buffer (`T.alloc_buffer(…) as A`).
PrimReader::Item PrimReader::with_item(const PyWithItem& item, const PyStmt& s) {
  const PyExpr& e = *item.value;
  auto [dialect, name] = dialect_name(e.kind == PyKind::Call ? *e.items[0] : e);
  if (dialect == 'T' && e.kind == PyKind::Call) {
    bool named = item.target && item.target->kind == PyKind::Name;
    if (name == "attr") return attr_item(e, s);
    if (name == "launch_thread") return launch(e, item.target.get());
    if (named && (name == "LetStmt" || name == "bind" || name == "let") && e.arg_count() == 1)
      return let(item.target->text, scalar(e.arg(0)), std::nullopt, s);
    if (name == "let" && e.arg_count() == 2 && e.arg(0).kind == PyKind::Name) {
      Ref<SymVar> symbol = scope_.find_symbol(e.arg(0).text);
      return let(e.arg(0).text, scalar(e.arg(1)), symbol ? std::optional(symbol->dtype) : std::nullopt, s);
    }
    bool is_alloc = name == "alloc_buffer" || name == "alloc_local" || name == "alloc_shared" || name == "allocate";
    if (named && (is_alloc || name == "decl_buffer")) return scoped_buffer(item.target->text, e, name);
  }
  error("E0105", e, fmt::format("`with {}` means nothing in a loop-level function", unparse(e)),
        "blocks are `with T.sblock(\"name\"):`");
}

}  // namespace sunmao::script
