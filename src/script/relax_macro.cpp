// Macros of the graph level: `@R.macro` functions, whose bindings stand where they are called.
#include "script/relax_reader.h"

namespace sunmao::script {
namespace {

// Statements that macros may add up to in one function: calls of calls multiply.
constexpr int kMaxExpanded = 100000;

}  // namespace

const PyStmt* RelaxReader::find_macro(const PyExpr& callee) const {
  if (callee.kind == PyKind::Attribute && is_module(*callee.items[0])) return ctx_.find_macro(callee.text);
  if (callee.kind != PyKind::Name || scope_.find(callee.text)) return nullptr;
  return ctx_.find_macro(callee.text);
}

// What an argument stands for inside the macro: a name, a plain value, or a binding that is made for it.
Named RelaxReader::macro_argument(const PyExpr& e, const std::string& name) {
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

// The value that the macro returns; null when it returns none.
Expr RelaxReader::expand(const PyExpr& call, const PyStmt& macro) {
  if (!body_) error("E0105", call, fmt::format("macro `{}` stands where nothing is bound", macro.name));
  expanded_ += static_cast<int>(macro.body.size());
  if (expanded_ > kMaxExpanded || nesting_ > kMaxBrackets)
    error("E0104", call, fmt::format("macros add up to more than {} statements", kMaxExpanded), "write a function");
  std::vector<std::string> names;
  for (const PyParam& p : macro.params) names.push_back(p.name);
  std::vector<const PyExpr*> given = bind_arguments(ctx_, call, macro.name, names);
  std::vector<Named> values;
  for (size_t i = 0; i < names.size(); ++i) {
    const PyExpr* e = given[i] ? given[i] : macro.params[i].default_value.get();
    if (!e) error("E0108", call, fmt::format("`{}` needs `{}`", macro.name, names[i]));
    values.push_back(macro_argument(*e, names[i]));
  }
  ++nesting_;
  ScopeLevel level(scope_, decorator_flag(ctx_, macro, "hygienic").value_or(true));
  for (size_t i = 0; i < names.size(); ++i) scope_.set(names[i], std::move(values[i]));
  Expr result;
  for (const PyStmt& s : macro.body) {
    if (result) ctx_.error("E0112", s.place, "nothing may follow `return`", "a macro returns once, at its end");
    if (s.kind == PyStmtKind::Return)
      result = s.value ? field(*s.value) : nullptr;
    else
      statement(s, *body_, outputs_ ? Place::Dataflow : Place::Function);
  }
  --nesting_;
  return result;
}

}  // namespace sunmao::script
