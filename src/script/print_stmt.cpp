// StmtPrinter for statements of the loop level.
#include "script/stmt_printer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "script/spelling.h"

namespace sunmao::script {

std::string StmtPrinter::join(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

void StmtPrinter::body(const Stmt& s) {
  lines_->indent();
  NameScope scope(names_);
  sequence(s);
  lines_->dedent();
}

bool StmtPrinter::opens_scope(const Stmt& s) {
  return s->kind == StmtKind::Bind || s->kind == StmtKind::AllocBuffer || s->kind == StmtKind::DeclBuffer;
}

// A definition that covers the rest of its sequence is printed without nesting; one whose scope ends earlier is printed
// as a `with` statement.
void StmtPrinter::sequence(Stmt s) {
  while (s) {
    const size_t from = lines_->text().size();
    if (const auto* seq = find<Seq>(s)) {
      if (seq->stmts.empty()) return;
      for (size_t i = 0; i + 1 < seq->stmts.size(); ++i)
        opens_scope(seq->stmts[i]) ? with_scope(seq->stmts[i]) : marked_statement(seq->stmts[i]);
      Stmt last = Stmt(seq->stmts.back());
      s = last;
    } else if (opens_scope(s)) {
      const Node* defined = defined_by(s);
      s = open_flat(s);
      lines_->mark(from, defined, state_.options.marks);
    } else {
      marked_statement(s);
      return;
    }
  }
}

const Node* StmtPrinter::defined_by(const Stmt& s) {
  if (const auto* bind = find<Bind>(s)) return bind->var.get();
  if (const auto* alloc = find<AllocBuffer>(s)) return alloc->buffer.get();
  return find<DeclBuffer>(s)->buffer.get();
}

void StmtPrinter::marked_statement(const Stmt& s) {
  const size_t from = lines_->text().size();
  statement(s);
  lines_->mark(from, s.get(), state_.options.marks);
  if (const auto* realize = find<BlockRealize>(s)) lines_->mark(from, realize->block.get(), state_.options.marks);
}

Stmt StmtPrinter::open_flat(const Stmt& s) {
  if (const auto* bind = find<Bind>(s)) {
    std::string v = scalar(bind->value);
    std::string name = names_.define(bind->var.get(), bind->var->name);
    bool is_void = bind->var->dtype.is_void();
    lines_->add(is_void ? fmt::format("{} = T.bind({})", name, v)
                        : fmt::format("{}: T.let[{}] = {}", name, scalar_type(*bind->var), v));
    return bind->body;
  }
  if (const auto* alloc = find<AllocBuffer>(s)) {
    if (cells_.contains(alloc->buffer.get())) {
      lines_->add(fmt::format("{}: T.{}", define_buffer(alloc->buffer), alloc->buffer->dtype.str()));
      return alloc->body;
    }
    std::string call = alloc_call(*alloc);
    lines_->add(fmt::format("{} = {}", define_buffer(alloc->buffer), call));
    return alloc->body;
  }
  const auto& decl = *find<DeclBuffer>(s);
  const Ref<SymVar>& data = decl.buffer->data;
  if (declares_free() && data && data->name != decl.buffer->name) symbol(*data);  // memory that is defined elsewhere
  std::string call = fmt::format("T.decl_buffer({})", buffer_args(*decl.buffer));
  lines_->add(fmt::format("{} = {}", define_buffer(decl.buffer), call));
  return decl.body;
}

std::string StmtPrinter::alloc_call(const AllocBuffer& alloc) {
  std::string notes = alloc.annotations.empty() ? "" : ", annotations=" + map(alloc.annotations.values());
  std::string args = buffer_args(*alloc.buffer), function = "alloc_buffer";
  for (const char* scope : {"local", "shared"}) {
    if (alloc.buffer->scope != scope) continue;
    function = std::string("alloc_") + scope;
    std::string said = fmt::format(", scope=\"{}\"", scope);
    if (size_t at = args.rfind(said); at != std::string::npos) args.erase(at, said.size());
  }
  return fmt::format("T.{}({}{})", function, args, notes);
}

void StmtPrinter::with_scope(const Stmt& s) {
  NameScope scope(names_);
  Stmt inner;
  if (const auto* bind = find<Bind>(s)) {
    std::string v = scalar(bind->value);
    lines_->add(fmt::format("with T.LetStmt({}) as {}:", v, names_.define(bind->var.get(), bind->var->name)));
    inner = bind->body;
  } else if (const auto* alloc = find<AllocBuffer>(s)) {
    cells_.erase(alloc->buffer.get());  // a buffer bound by `with` cannot be printed as a cell
    std::string call = alloc_call(*alloc);
    lines_->add(fmt::format("with {} as {}:", call, define_buffer(alloc->buffer)));
    inner = alloc->body;
  } else {
    const auto& decl = *find<DeclBuffer>(s);
    std::string call = fmt::format("T.decl_buffer({})", buffer_args(*decl.buffer));
    lines_->add(fmt::format("with {} as {}:", call, define_buffer(decl.buffer)));
    inner = decl.body;
  }
  body(inner);
}

void StmtPrinter::statement(const Stmt& s) {
  switch (s->kind) {
    case StmtKind::BufferStore: {
      const auto& n = *find<BufferStore>(s);
      std::string name = buffer(n.buffer);
      if (n.predicate)
        return lines_->add(fmt::format("{}.vstore([{}], {}, predicate={})", name, scalars(n.indices), scalar(n.value),
                                       scalar(n.predicate)));
      if (!cells_.contains(n.buffer.get())) name += fmt::format("[{}]", n.indices.empty() ? "()" : indices(n.indices));
      lines_->add(fmt::format("{} = {}", name, scalar(n.value)));
      return;
    }
    case StmtKind::Evaluate: {
      const Scalar& v = find<Evaluate>(s)->value;
      const auto* text = find<StringImm>(v);
      const auto* call = find<ScalarCall>(v);
      if (call && call->name == "ret" && call->args.size() == 1 && call->dtype == call->args[0]->dtype &&
          !find<StringImm>(call->args[0]))
        return lines_->add("return " + scalar(call->args[0]));
      lines_->add(call ? scalar(v) : fmt::format("T.evaluate({})", text ? quote(text->value) : scalar(v)));
      return;
    }
    case StmtKind::For: return loop(*find<For>(s));
    case StmtKind::While:
      lines_->add(fmt::format("while {}:", scalar(find<While>(s)->condition)));
      return body(find<While>(s)->body);
    case StmtKind::IfThenElse: return branch(*find<IfThenElse>(s));
    case StmtKind::Assert: {
      const auto& n = *find<Assert>(s);
      lines_->add(fmt::format("assert {}, ({}, [{}])", scalar(n.condition), quote(n.error_kind), quote(n.message)));
      return;
    }
    case StmtKind::AttrStmt: {
      const auto& n = *find<AttrStmt>(s);
      const auto* text = find<StringImm>(n.value);
      lines_->add(fmt::format("with T.attr({}, {}, {}):", value(n.node), quote(n.key),
                              text ? quote(text->value) : scalar(n.value)));
      return body(n.body);
    }
    case StmtKind::Block: return block(*find<Block>(s), nullptr);
    case StmtKind::BlockRealize: return block(*find<BlockRealize>(s)->block, find<BlockRealize>(s));
    case StmtKind::Seq:
    case StmtKind::Bind:
    case StmtKind::AllocBuffer:
    case StmtKind::DeclBuffer: return sequence(s);
  }
}

void StmtPrinter::branch(const IfThenElse& first) {
  const IfThenElse* n = &first;
  lines_->add(fmt::format("if {}:", scalar(n->condition)));
  body(n->then_case);
  while (const auto* next = find<IfThenElse>(n->else_case)) {
    n = next;
    lines_->add(fmt::format("elif {}:", scalar(n->condition)));
    body(n->then_case);
  }
  if (!n->else_case) return;
  lines_->add("else:");
  body(n->else_case);
}

namespace {

bool is_zero(const Scalar& s) {
  const int64_t* value = find_int(s);
  return value && *value == 0;
}

}  // namespace

// Returns the end of a range, such that parsing `start:stop` restores the extent in its original form.
std::string StmtPrinter::stop_of(const Range& r) {
  if (is_zero(r.min)) return scalar(r.extent);
  const int64_t *a = find_int(r.min), *n = find_int(r.extent);
  int64_t sum = 0;
  if (a && n && r.min->dtype == r.extent->dtype) {
    if (!__builtin_add_overflow(*a, *n, &sum)) return scalar(IntImm::make(r.min->dtype, sum));
    return fmt::format("T.Add({}, {})", scalar(r.min), scalar(r.extent));
  }
  constexpr int kSum = 5;
  return fmt::format("{} + {}", operand_beside(r.min, r.extent, kSum), operand_beside(r.extent, r.min, kSum + 1));
}

std::string StmtPrinter::start_of(const Range& r) { return operand_beside(r.min, r.extent, 0); }

std::string StmtPrinter::region(const BufferRegion& r) {
  std::string name = buffer(r.buffer);
  std::vector<std::string> parts;
  for (const Range& range : r.region) {
    const int64_t* extent = find_int(range.extent);
    bool is_point = extent && *extent == 1 && range.extent->dtype == range.min->dtype;
    parts.push_back(is_point ? scalar(range.min) : fmt::format("{}:{}", start_of(range), stop_of(range)));
  }
  return fmt::format("{}[{}]", name, parts.empty() ? "()" : join(parts));
}

bool StmtPrinter::is_grid_loop(const For& f) {
  return f.for_kind == ForKind::Serial && f.annotations.empty() && is_zero(f.min) && f.min->dtype == f.extent->dtype;
}

void StmtPrinter::loop(const For& first) {
  // Up to 50 perfectly nested serial loops from 0, without annotations and with extents that do not depend on each
  // other, form a `T.grid`.
  std::vector<const For*> nest{&first};
  if (state_.options.syntax_sugar && is_grid_loop(first)) {
    for (const For* next = find<For>(first.body); next && is_grid_loop(*next) && nest.size() < 50;
         next = find<For>(next->body)) {
      bool depends = false;
      for (const For* f : nest) depends |= uses(next->extent, *f->var);
      if (depends) break;
      nest.push_back(next);
    }
  }
  std::vector<std::string> extents, vars;
  for (const For* f : nest) extents.push_back(scalar(f->extent));
  std::string head = nest.size() > 1 ? fmt::format("T.grid({})", join(extents)) : loop_head(first);
  NameScope scope(names_);
  for (const For* f : nest) {
    vars.push_back(names_.define(f->var.get(), f->var->name));
    loops_.insert_or_assign(f->var.get(), Range{f->min, f->extent});
  }
  lines_->add(fmt::format("for {} in {}:", join(vars), head));
  body(nest.back()->body);
}

std::string StmtPrinter::loop_head(const For& f) {
  static constexpr const char* kNames[] = {"serial", "parallel", "vectorized", "unroll", "thread_binding"};
  bool plain = f.for_kind == ForKind::Serial && f.annotations.empty();
  std::vector<std::string> parts;
  if (!is_zero(f.min)) parts.push_back(start_of({f.min, f.extent}));
  parts.push_back(stop_of({f.min, f.extent}));
  if (f.for_kind == ForKind::ThreadBinding) parts.push_back("thread=" + quote(f.thread));
  if (!f.annotations.empty()) parts.push_back("annotations=" + map(f.annotations.values()));
  return fmt::format("{}({})", plain ? "range" : std::string("T.") + kNames[static_cast<size_t>(f.for_kind)],
                     join(parts));
}

}  // namespace sunmao::script
