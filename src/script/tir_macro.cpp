// PrimReader for macros (`@T.macro` and `@T.inline` functions), whose statements replace the call, and for meta
// variables.
#include "script/decorator.h"
#include "script/prim_reader.h"

namespace sunmao::script {
// Macros defined inside the function take precedence over those of the file.
std::optional<Macro> PrimReader::find_macro(const PyExpr& callee) const {
  auto own = callee.kind == PyKind::Name && !scope_.find(callee.text) ? macros_.find(callee.text) : macros_.end();
  return own != macros_.end() ? std::optional(own->second) : MacroReader::find_macro(callee);
}

namespace {

// Adds the names that the statements bind.
void add_bound(const std::vector<PyStmt>& body, std::unordered_set<std::string>& names) {
  auto add = [&](const PyExpr& target) {
    visit_exprs(target, [&](const PyExpr& e) {
      if (e.kind == PyKind::Name) names.insert(e.text);
    });
  };
  for (const PyStmt& s : body) {
    if (s.target) add(*s.target);
    for (const PyWithItem& item : s.with_items)
      if (item.target) add(*item.target);
    add_bound(s.body, names);
    add_bound(s.orelse, names);
  }
}

void visit_calls(const std::vector<PyStmt>& body, const std::function<void(const PyExpr& call)>& visit) {
  for (const PyStmt& s : body) {
    if (s.kind == PyStmtKind::Expr && s.value->kind == PyKind::Call) visit(*s.value);
    visit_calls(s.body, visit);
    visit_calls(s.orelse, visit);
  }
}

}  // namespace

// Finds the macros that the function calls, directly or through other macros, and the names that their bodies assign
// more than once, before any is expanded.
void PrimReader::find_host_macros(const PyStmt& def) {
  std::unordered_set<std::string> bound;
  for (const PyParam& p : def.params) bound.insert(p.name);
  add_bound(def.body, bound);
  visit_calls(def.body, [&](const PyExpr& call) {
    const PyExpr* root = root_name(*call.items[0]);
    std::optional<Macro> macro = root && !bound.contains(root->text) ? find_macro(*call.items[0]) : std::nullopt;
    if (!macro || !host_macros_.insert(macro->def).second) return;
    find_cells(macro->def->body);
    FileScope file(ctx_, macro->file);
    find_host_macros(*macro->def);
  });
}

// Returns what an argument binds a macro parameter to.
Named PrimReader::macro_argument(const PyExpr& e, const std::string&) {
  if (const Named* part = scope_.has_parts() ? scope_.find(unparse(e)) : nullptr) return *part;
  if (const Ref<Buffer>* b = find_buffer(e)) return *b;
  if (e.is_literal("None")) return AttrValue();
  if (e.kind == PyKind::String) return AttrValue(e.text);
  if (std::optional<PlainNumber> n = number(e)) return value(e);
  if (e.is_sequence()) return scalars(e);
  if (e.kind == PyKind::Name)
    if (const auto* several = scope_.find_as<std::vector<Scalar>>(e.text)) return *several;
  if (e.kind == PyKind::Name)
    if (const AttrValue* plain = scope_.find_as<AttrValue>(e.text)) return *plain;
  if (std::optional<HostValue> host = ask_host(e))
    if (const AttrValue* attr = std::get_if<AttrValue>(&*host)) return *attr;
  return scalar(e);
}

void PrimReader::expand(const PyExpr& call, const Macro& macro, Items& out) {
  Deeper deeper(*this, call.place);
  // A macro defined inside the function, or marked as not hygienic, sees the names visible at the call; any other one
  // sees its own parameters and the host.
  auto own = macros_.find(macro.def->name);
  const bool sees_caller = (own != macros_.end() && own->second.def == macro.def) || !is_hygienic(macro);
  Expansion open(*this, call, macro, macro_arguments(call, macro), sees_caller);
  int before = expansions_[macro.def->name]++;
  std::string outer = block_suffix_;
  if (before > 0) block_suffix_ += "_" + std::to_string(before);
  for (const PyStmt& s : macro.def->body) {
    if (s.kind == PyStmtKind::Return) ctx_.error("E0112", s.place, "a macro of loops returns nothing");
    statement(s, out);
  }
  block_suffix_ = outer;
}

// Reads `@T.inline def f(…)` inside a function.
void PrimReader::define_macro(const PyStmt& def) {
  if (decorator_kind(ctx_, def) != DecoratorKind::Macro)
    ctx_.error("E0105", def.place, "a loop-level function holds no other functions than macros", "mark it `@T.inline`");
  macros_.insert_or_assign(def.name, Macro{&def, ctx_.file()});
}

// Reads `i, j = f(k)`: names the scalars of a list, of `A.shape` or `A.strides`, or of the host. False when there are
// none, or not as many as names.
bool PrimReader::name_several(const PyExpr& target, const PyExpr& e) {
  const bool is_meta = e.kind == PyKind::Call && dotted_name(*e.items[0]).ends_with(".meta_var") && e.arg_count() == 1;
  std::optional<std::vector<Scalar>> parts = several(is_meta ? e.arg(0) : e);
  if (!parts || parts->size() != target.items.size()) return false;
  for (const PyExprPtr& part : target.items)
    if (part->kind != PyKind::Name) return false;
  for (size_t i = 0; i < parts->size(); ++i) scope_.set(target.items[i]->text, (*parts)[i]);
  return true;
}

// Reads `x = T.meta_var(y)`: a name that only the reader resolves.
void PrimReader::meta_variable(const std::string& name, const PyExpr& e) {
  if (const Ref<Buffer>* b = find_buffer(e)) return scope_.set(name, *b);
  if (e.is_sequence()) return scope_.set(name, scalars(e));
  scope_.set(name, scalar(e));
}

}  // namespace sunmao::script
