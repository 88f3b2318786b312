// PrimReader for cells: scalar variables that are assigned more than once, stored in a buffer of one element.
#include "script/decorator.h"
#include "script/prim_reader.h"

namespace sunmao::script {
namespace {

using Names = std::unordered_set<std::string>;

// True when the right-hand side gives no plain scalar: it is a list or tuple, or a call that creates a buffer, axis,
// thread or cell, or declares a symbol or meta variable.
bool makes_other(const PyExpr& value) {
  if (value.kind != PyKind::Call) return value.is_sequence();
  std::string name = dotted_name(*value.items[0]);
  std::string last = name.substr(name.find('.') + 1);
  for (const char* other :
       {"match_buffer", "alloc_buffer", "sblock_alloc_buffer", "decl_buffer", "allocate", "alloc_local", "alloc_shared",
        "env_thread", "launch_thread", "Buffer", "handle", "local_scalar", "shared_scalar", "alloc_scalar"})
    if (last == other) return true;
  return last.starts_with("axis.") || last.ends_with("meta_var") || declared_scalar(value).has_value();
}

bool is_let(const PyExpr& annotation) {
  const PyExpr& e = annotation.kind == PyKind::Subscript ? *annotation.items[0] : annotation;
  return e.kind == PyKind::Attribute && e.text == "let";
}

// Finds the names that have to be cells: bound again while visible, changed in place (`+=`), or annotated without a
// value.
void find_reassigned(const std::vector<PyStmt>& body, Names visible, Names& found) {
  for (const PyStmt& s : body) {
    const PyExpr* target = s.target.get();
    if (target && target->kind == PyKind::Name) {
      bool binds = s.kind == PyStmtKind::Assign && !makes_other(*s.value);
      bool typed = s.kind == PyStmtKind::Annotated && !is_let(*s.annotation);
      bool again = s.kind == PyStmtKind::Augmented || (binds && visible.contains(target->text));
      if (again || (typed && !s.value)) found.insert(target->text);
      if (binds || typed) visible.insert(target->text);
    }
    for (const std::vector<PyStmt>* inner : {&s.body, &s.orelse})
      if (!inner->empty()) find_reassigned(*inner, visible, found);
  }
}

}  // namespace

void PrimReader::find_cells(const std::vector<PyStmt>& body) { find_reassigned(body, {}, cell_names_); }

// Returns the buffer of a name that is a cell or a buffer of one element, or null.
Ref<Buffer> PrimReader::find_cell(const std::string& name) const {
  if (const Scalar* bound = scope_.find_as<Scalar>(name)) {
    const auto* load = find<BufferLoad>(*bound);
    return load && cells_.contains(load->buffer.get()) ? load->buffer : nullptr;
  }
  const Ref<Buffer>* buffer = scope_.find_as<Ref<Buffer>>(name);
  if (!buffer || (*buffer)->shape.size() != 1) return nullptr;
  const int64_t* extent = find_int((*buffer)->shape[0]);
  return extent && *extent == 1 ? *buffer : nullptr;
}

// Declares a cell with this name for the rest of the sequence.
Ref<Buffer> PrimReader::add_cell(const std::string& name, DType type, const std::string& scope, const PyExpr& at,
                                 Items& out) {
  if (type.is_void() || type.code == TypeCode::Handle)
    error("E0115", at, fmt::format("`{}` is no type of a scalar", type.str()), "bind pointers with `T.let[T.handle]`");
  Ref<Buffer> cell = Buffer::make(name, type, {IntImm::make(DType::int_(32), 1)}, {.scope = scope, .span = span(at)});
  Span where = span(at);
  out.push_back({nullptr, [cell, where](Stmt body) { return AllocBuffer::make(cell, std::move(body), {}, where); }});
  cells_.insert(cell.get());
  scope_.set(name, BufferLoad::make(cell, {IntImm::make(DType::int_(32), 0)}, span(at)));
  return cell;
}

void PrimReader::store_cell(const Ref<Buffer>& cell, Scalar value, const PyStmt& s, Items& out) {
  check_operand(value, *s.value);
  Scalar zero = IntImm::make(cell->shape[0]->dtype, 0);
  out.push_back({BufferStore::make(cell, converted(std::move(value), cell->dtype), {zero}, ctx_.span(s.place)), {}});
}

// Reads an assignment to a cell `x`, `x = …` or `x: T.int32 = …`, or the declaration of a local buffer, `x:
// T.float32[16]`. False for other assignments.
bool PrimReader::cell_assignment(const PyStmt& s, Items& out) {
  const std::string& name = s.target->text;
  bool typed = s.kind == PyStmtKind::Annotated;
  if (typed && is_let(*s.annotation)) return false;
  if (typed && s.annotation->kind == PyKind::Subscript && !s.value) {
    BufferArgs args{.shape = s.annotation->items[1].get(), .dtype = s.annotation->items[0].get()};
    Ref<Buffer> local = make_buffer(name, args, *s.target, "local");
    Span where = ctx_.span(s.place);
    out.push_back(
        {nullptr, [local, where](Stmt body) { return AllocBuffer::make(local, std::move(body), {}, where); }});
    scope_.set(name, local);
    return true;
  }
  Ref<Buffer> known = typed ? nullptr : find_cell(name);
  if (!known && !cell_names_.contains(name)) return false;
  if (s.value && makes_other(*s.value)) return false;
  if (known && s.value->kind == PyKind::Name && find_buffer(*s.value)) return false;
  Scalar value = s.value ? scalar(*s.value) : nullptr;
  if (!known) {
    if (value && (value->dtype.is_void() || value->dtype.code == TypeCode::Handle || find<StringImm>(value)))
      return false;
    known = add_cell(name, typed ? dtype(*s.annotation) : value->dtype, "local", *s.target, out);
  }
  if (value) store_cell(known, std::move(value), s, out);
  return true;
}

// Reads `x = T.local_scalar("int32")`, `T.shared_scalar` and `T.alloc_scalar`. False for other calls.
bool PrimReader::scalar_allocation(const PyStmt& s, const PyExpr& call, const std::string& function, Items& out) {
  bool any_scope = function == "alloc_scalar";
  if (function != "local_scalar" && function != "shared_scalar" && !any_scope) return false;
  std::vector<std::string> names{"dtype", "scope"};
  std::vector<const PyExpr*> given = bind_arguments(ctx_, call, "T." + function, names);
  std::string scope =
      any_scope ? (given[1] ? text(*given[1], "`scope`") : "global") : function.substr(0, function.find('_'));
  add_cell(s.target->text, given[0] ? dtype(*given[0]) : DType::float_(32), scope, *s.target, out);
  return true;
}

}  // namespace sunmao::script
