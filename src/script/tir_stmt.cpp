// Statements of loop-level functions.
#include "script/decorator.h"
#include "script/prim_reader.h"

namespace sunmao::script {

PrimReader::Deeper::Deeper(PrimReader& reader, const Place& place) : reader_(reader) { add(place); }
PrimReader::Deeper::~Deeper() { reader_.depth_ -= added_; }
void PrimReader::Deeper::add(const Place& place) {
  ++added_;
  if (++reader_.depth_ > kMaxScopes)
    reader_.ctx_.error("E0104", place,
                       fmt::format("more than {} loops, blocks and scopes stand inside each other", kMaxScopes),
                       "split the function");
}

// What `wrap`s hold for is all that follows, so a sequence is folded from its end.
Stmt PrimReader::fold(Items items) {
  std::vector<Stmt> rest;  // backwards
  auto body = [&] {
    if (rest.empty()) return Evaluate::make(IntImm::make(DType::int_(32), 0));
    return Seq::make({std::make_move_iterator(rest.rbegin()), std::make_move_iterator(rest.rend())});
  };
  for (size_t i = items.size(); i-- > 0;) {
    if (items[i].stmt) {
      rest.push_back(std::move(items[i].stmt));
    } else {
      Stmt wrapped = items[i].wrap(body());
      rest.assign(1, wrapped);
    }
  }
  return body();
}

Stmt PrimReader::sequence(const std::vector<PyStmt>& body, BlockFrame* block) {
  BlockFrame* around = std::exchange(block_, block);
  Deeper deeper(*this, body.empty() ? Place{} : body.front().place);
  Stmt result;
  {
    ScopeLevel level(scope_);
    Items items;
    for (const PyStmt& s : body) {
      size_t before = items.size();
      statement(s, items);
      for (size_t i = before; i < items.size(); ++i) {
        if (!items[i].wrap) continue;
        deeper.add(s.place);
        if (block) block->has_bindings = true;
      }
    }
    result = fold(std::move(items));
  }
  block_ = around;
  return result;
}

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
    case PyStmtKind::Function:
    case PyStmtKind::Class: ctx_.error("E0105", s.place, "a loop-level function holds no other definitions");
  }
}

void PrimReader::expression_statement(const PyStmt& s, Items& out) {
  const PyExpr& e = *s.value;
  if (e.kind == PyKind::String || e.is_literal("...")) return;
  if (e.kind != PyKind::Call)
    error("E0105", e, "a value that nothing uses has no effect", "store it, or write `T.evaluate(…)`");
  auto [dialect, name] = dialect_name(*e.items[0]);
  if (dialect != 'T') {
    out.push_back({Evaluate::make(scalar(e), span(e)), {}});
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
    check_arity(e, "T.buffer_store", 3, 3);
    Ref<Buffer> b = buffer(e.arg(0));
    std::vector<Scalar> at = scalars(e.arg(2));
    if (at.size() != b->shape.size())
      error("E0116", e.arg(2),
            fmt::format("`{}` has {} dimensions, indexed with {}", b->name, b->shape.size(), at.size()));
    out.push_back({BufferStore::make(b, scalar(e.arg(1)), std::move(at), span(e)), {}});
  } else if (!block_statement(e, name)) {
    out.push_back({Evaluate::make(scalar(e), span(e)), {}});
  }
}

PrimReader::Item PrimReader::attr_item(const PyExpr& e, const PyStmt& s) {
  check_arity(e, "T.attr", 3, 3);
  AttrValue node = value(e.arg(0));
  std::string key = text(e.arg(1), "the key");
  Scalar v = argument(e.arg(2));
  Span at = ctx_.span(s.place);
  return {nullptr, [=](Stmt body) { return AttrStmt::make(node, key, v, std::move(body), at); }};
}

PrimReader::Item PrimReader::let(const std::string& name, Scalar v, std::optional<DType> type, const PyStmt& s) {
  if (type && v->dtype != *type) {
    const auto* i = find<IntImm>(v);
    if (i && type->is_integral() && type->lanes == 1)
      v = IntImm::make(*type, i->value, i->span);
    else if (i && type->is_float() && type->lanes == 1)
      v = FloatImm::make(*type, static_cast<double>(i->value), i->span);
    else if (const auto* f = find<FloatImm>(v); f && type->is_float() && type->lanes == 1)
      v = FloatImm::make(*type, f->value, f->span);
    else
      ctx_.error("E0113", s.annotation ? s.annotation->place : s.place,
                 fmt::format("`{}` is of type {}, the annotation says {}", name, v->dtype.str(), type->str()),
                 "convert the value");
  }
  Ref<SymVar> var = SymVar::make(name, v->dtype, ctx_.span(s.place));
  scope_.set(name, Scalar(var));
  Span at = ctx_.span(s.place);
  return {nullptr, [=](Stmt body) { return Bind::make(var, v, std::move(body), at); }};
}

namespace {

// `T.let[T.int32]` says the type inside.
const PyExpr& annotated_type(const PyExpr& e) {
  bool is_let = e.kind == PyKind::Subscript && dotted_name(*e.items[0]).ends_with(".let");
  return is_let ? *e.items[1] : e;
}

}  // namespace

// `n = T.int32()`: names a symbol, unless a parameter has that name already.
bool PrimReader::declaration(const PyStmt& s) {
  std::vector<Assigned> parts = assigned_parts(s);
  for (const Assigned& part : parts) {
    std::optional<DType> type = declared_scalar(*part.value);
    if (!type || part.target->kind != PyKind::Name) return false;
    const std::string& name = part.target->text;
    Ref<SymVar> symbol = scope_.find_symbol(name);
    if (symbol && symbol->dtype != *type)
      error("E0113", *part.value, fmt::format("`{}` is an {} already", name, symbol->dtype.str()));
    if (!scope_.find_as<Scalar>(name)) scope_.define_symbol(name, *type, ctx_.span(s.place));
  }
  return !parts.empty();
}

void PrimReader::assignment(const PyStmt& s, Items& out) {
  const PyExpr& target = *s.target;
  if (!s.value) error("E0105", target, "an annotation alone binds nothing", "write `x: T.int32 = …`");
  const PyExpr& e = *s.value;
  if (target.kind == PyKind::Subscript) return store(target, scalar(e), s, out);
  auto [dialect, function] = dialect_name(e.kind == PyKind::Call ? *e.items[0] : e);
  if (e.kind == PyKind::Call && dialect == 'T' && function.starts_with("axis.")) {
    axis_assignment(s, e, function.substr(5));
    return;
  }
  if (s.kind == PyStmtKind::Assign && declaration(s)) return;
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
  if (e.kind == PyKind::Call && dialect == 'T' && buffer_assignment(s, e, function, out)) return;
  if (e.kind == PyKind::Name && scope_.find_as<Ref<Buffer>>(e.text)) return scope_.set(name, *scope_.find(e.text));
  if (e.is_sequence()) return scope_.set(name, scalars(e));
  bool is_bind =
      e.kind == PyKind::Call && dialect == 'T' && (function == "bind" || function == "let") && e.arg_count() == 1;
  bool is_meta = e.kind == PyKind::Call && dotted_name(*e.items[0]).ends_with(".meta_var") && e.arg_count() == 1;
  if (is_meta) return scope_.set(name, scalar(e.arg(0)));  // a name for the reader alone
  out.push_back(let(name, scalar(is_bind ? e.arg(0) : e), std::nullopt, s));
}

void PrimReader::store(const PyExpr& target, Scalar v, const PyStmt& s, Items& out) {
  Ref<Buffer> b = buffer(*target.items[0]);
  std::vector<Scalar> at = indices(*target.items[1], *b);
  int lanes = (at.empty() ? 1 : at.back()->dtype.lanes) * b->dtype.lanes;
  if (lanes > 4096) error("E0110", target, "a vector has at most 4096 lanes");
  if (v->dtype.is_void() || find<StringImm>(v))
    error("E0110", *s.value, fmt::format("`{}` has no value to store", unparse(*s.value)));
  if (lanes > 1 && v->dtype.lanes == 1) {
    if (const auto* i = find<IntImm>(v); i && b->dtype.is_float())
      v = FloatImm::make(b->dtype.element(), static_cast<double>(i->value), i->span);
    else if (i && b->dtype.is_integral())
      v = IntImm::make(b->dtype.element(), i->value, i->span);
    else if (const auto* f = find<FloatImm>(v); f && b->dtype.is_float())
      v = FloatImm::make(b->dtype.element(), f->value, f->span);
    v = Broadcast::make(std::move(v), lanes, s.value ? span(*s.value) : Span());
  }
  if (v->dtype.lanes != lanes)
    error("E0110", target, fmt::format("{} lanes are stored where {} are asked for", v->dtype.lanes, lanes),
          "use `T.Broadcast` or a slice of the same length");
  out.push_back({BufferStore::make(std::move(b), std::move(v), std::move(at), ctx_.span(s.place)), {}});
}

// `A[i] += x` reads, calculates and stores.
void PrimReader::augmented(const PyStmt& s, Items& out) {
  const PyExpr& target = *s.target;
  static const std::unordered_map<std::string, BinaryOp> kOps{{"+", BinaryOp::Add},       {"-", BinaryOp::Sub},
                                                              {"*", BinaryOp::Mul},       {"/", BinaryOp::Div},
                                                              {"//", BinaryOp::FloorDiv}, {"%", BinaryOp::FloorMod}};
  auto op = kOps.find(s.name);
  if (target.kind != PyKind::Subscript || op == kOps.end())
    error("E0105", target, fmt::format("`{}=` works on elements of buffers, with + - * / // %", s.name),
          "bind a new name");
  store(target, binary(op->second, scalar(target), scalar(*s.value), *s.value), s, out);
}

void PrimReader::while_(const PyStmt& s, Items& out) {
  Scalar condition = boolean(*s.value);
  Stmt body = sequence(s.body, nullptr);
  out.push_back({While::make(std::move(condition), std::move(body), ctx_.span(s.place)), {}});
}

void PrimReader::if_(const PyStmt& s, Items& out) {
  Scalar condition = boolean(*s.value);
  Stmt then_case = sequence(s.body, nullptr);
  Stmt else_case = s.orelse.empty() ? nullptr : sequence(s.orelse, nullptr);
  out.push_back(
      {IfThenElse::make(std::move(condition), std::move(then_case), std::move(else_case), ctx_.span(s.place)), {}});
}

// `assert x, "text"`, and today's `assert x, ("RuntimeError", ["text"])`.
void PrimReader::assert_(const PyStmt& s, Items& out) {
  std::string message;
  if (s.annotation) {
    const PyExpr* m = s.annotation.get();
    if (m->kind == PyKind::Tuple && m->items.size() == 2) m = m->items[1].get();
    for (const PyExpr* part : elements(*m)) message += text(*part, "the message");
  }
  out.push_back({Assert::make(boolean(*s.value), std::move(message), ctx_.span(s.place)), {}});
}

void PrimReader::return_(const PyStmt& s, Items& out) {
  if (!s.value) ctx_.error("E0112", s.place, "a loop-level function ends where its body ends", "remove the `return`");
  Scalar v = scalar(*s.value);
  DType type = v->dtype;
  out.push_back(
      {Evaluate::make(ScalarCall::make("ret", type, {std::move(v)}, ctx_.span(s.place)), ctx_.span(s.place)), {}});
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

// `with T.attr(…):`, `with T.let(x, 1):`, `with T.LetStmt(1) as x:`, `with T.alloc_buffer(…) as A:`.
PrimReader::Item PrimReader::with_item(const PyWithItem& item, const PyStmt& s) {
  const PyExpr& e = *item.value;
  auto [dialect, name] = dialect_name(e.kind == PyKind::Call ? *e.items[0] : e);
  if (dialect == 'T' && e.kind == PyKind::Call) {
    bool named = item.target && item.target->kind == PyKind::Name;
    if (name == "attr") return attr_item(e, s);
    if (named && (name == "LetStmt" || name == "bind" || name == "let") && e.arg_count() == 1)
      return let(item.target->text, scalar(e.arg(0)), std::nullopt, s);
    if (name == "let" && e.arg_count() == 2 && e.arg(0).kind == PyKind::Name) {
      Ref<SymVar> symbol = scope_.find_symbol(e.arg(0).text);
      return let(e.arg(0).text, scalar(e.arg(1)), symbol ? std::optional(symbol->dtype) : std::nullopt, s);
    }
    if (named && (name == "alloc_buffer" || name == "decl_buffer" || name == "allocate"))
      return scoped_buffer(item.target->text, e, name);
  }
  error("E0105", e, fmt::format("`with {}` means nothing in a loop-level function", unparse(e)),
        "blocks are `with T.sblock(\"name\"):`");
}

}  // namespace sunmao::script
