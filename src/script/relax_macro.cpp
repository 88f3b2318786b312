// RelaxReader for macros (`@R.macro` functions), whose bindings replace the call.
#include "script/relax_reader.h"

namespace sunmao::script {
// Returns what an argument binds a macro parameter to: the value of a name, a plain or scalar value, or a variable,
// to which any other value is bound first.
Named RelaxReader::macro_argument(const PyExpr& e, const std::string& name) {
  if (const Named* part = scope_.has_parts() ? scope_.find(unparse(e)) : nullptr) return *part;
  if (e.is_literal("None")) return AttrValue();
  if (e.kind == PyKind::String) return AttrValue(e.text);
  if (number(e)) return value(e);
  if (e.kind == PyKind::Name) {
    if (const Named* known = scope_.find(e.text)) return *known;
  }
  if (std::optional<HostValue> host = ask_host(e))
    if (const AttrValue* attr = std::get_if<AttrValue>(&*host)) return *attr;
  if (is_scalar_expr(e)) return scalar(e);
  Expr given = typed(expr(e), e);
  if (Ref<Var> var = find_ref<Var>(given)) return var;
  Ref<Var> var = outputs_ ? Var::make_dataflow(name, given->type, span(e)) : Var::make(name, given->type, span(e));
  body_->bindings.push_back({var, std::move(given), nullptr, span(e)});
  return var;
}

// Expands a macro call and returns the value of its `return`; null when there is none.
Expr RelaxReader::expand(const PyExpr& call, const Macro& macro) {
  if (!body_) error("E0105", call, fmt::format("macro `{}` stands where nothing is bound", macro.def->name));
  Expansion open(*this, call, macro, macro_arguments(call, macro), !is_hygienic(macro));
  Expr result;
  for (const PyStmt& s : macro.def->body) {
    if (result) ctx_.error("E0112", s.place, "nothing may follow `return`", "a macro returns once, at its end");
    if (s.kind == PyStmtKind::Return)
      result = s.value ? field(*s.value) : nullptr;
    else
      statement(s, *body_, outputs_ ? Place::Dataflow : Place::Function);
  }
  return result;
}

}  // namespace sunmao::script
