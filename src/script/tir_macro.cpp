// Macros: `@T.macro` and `@T.inline` functions, whose statements stand where they are called; and names that are the
// reader's alone.
#include "script/decorator.h"
#include "script/prim_reader.h"

namespace sunmao::script {
namespace {

// Statements that macros may add up to in one function: calls of calls multiply.
constexpr int kMaxExpanded = 100000;

}  // namespace

// The macro that a call names: one inside the function, or one of the file or its class; else nullptr.
const PyStmt* PrimReader::find_macro(const PyExpr& callee) const {
  if (callee.kind == PyKind::Attribute && is_module(*callee.items[0])) return ctx_.find_macro(callee.text);
  if (callee.kind != PyKind::Name || scope_.find(callee.text)) return nullptr;
  auto own = macros_.find(callee.text);
  return own != macros_.end() ? own->second : ctx_.find_macro(callee.text);
}

// What an argument stands for inside the macro.
Named PrimReader::macro_argument(const PyExpr& e) {
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

// What `*args` and `**kwargs` take stands in the scope as the macro writes it: `args[0]`, `kwargs["x"]`.
std::unordered_map<std::string, Named> PrimReader::macro_arguments(const PyExpr& call, const PyStmt& macro) {
  std::unordered_map<std::string, const PyExpr*> given;
  auto give = [&](const std::string& name, const PyExpr* e, const Place& place) {
    if (!given.emplace(name, e).second)
      ctx_.error("E0109", place, fmt::format("`{}` takes `{}` once", macro.name, name));
  };
  size_t next = 0;
  std::string rest, keywords;
  std::unordered_set<std::string> names;
  for (const PyParam& p : macro.params) {
    if (!names.insert(p.name).second)
      ctx_.error("E0111", p.place, fmt::format("parameter `{}` is named twice", p.name));
    if (p.star == PyParam::Star::Args)
      rest = p.name;
    else if (p.star == PyParam::Star::Kwargs)
      keywords = p.name;
    else if (rest.empty() && next < call.arg_count())
      give(p.name, &call.arg(next), call.arg(next).place), ++next;
  }
  if (rest.empty() && next < call.arg_count())
    error("E0108", call.arg(next), fmt::format("`{}` takes {} arguments, got {}", macro.name, next, call.arg_count()));
  for (size_t i = next; i < call.arg_count(); ++i)
    give(fmt::format("{}[{}]", rest, i - next), &call.arg(i), call.arg(i).place);
  for (const PyKeyword& k : call.keywords) {
    const bool is_own = names.contains(k.name) && k.name != rest && k.name != keywords;
    if (!is_own && keywords.empty())
      ctx_.error("E0109", k.place, fmt::format("`{}` has no argument named `{}`", macro.name, k.name));
    give(is_own ? k.name : fmt::format("{}[\"{}\"]", keywords, k.name), k.value.get(), k.place);
  }
  for (const PyParam& p : macro.params) {
    if (p.star != PyParam::Star::None || given.contains(p.name)) continue;
    if (!p.default_value) error("E0108", call, fmt::format("`{}` needs `{}`", macro.name, p.name));
    given.emplace(p.name, p.default_value.get());
  }
  std::unordered_map<std::string, Named> out;
  for (const auto& [name, e] : given) out.emplace(name, macro_argument(*e));
  return out;
}

void PrimReader::expand(const PyExpr& call, const PyStmt& macro, Items& out) {
  Deeper deeper(*this, call.place);
  expanded_ += static_cast<int>(macro.body.size());
  if (expanded_ > kMaxExpanded)
    error("E0104", call, fmt::format("macros add up to more than {} statements", kMaxExpanded), "write loops");
  std::unordered_map<std::string, Named> arguments = macro_arguments(call, macro);
  // A macro of the file sees its own parameters, and the host; one inside the function what is bound where it is
  // called.
  bool is_own = macros_.contains(macro.name);
  bool sees_caller = is_own || !decorator_flag(ctx_, macro, "hygienic").value_or(true);
  ScopeLevel level(scope_, !sees_caller);
  for (auto& [name, bound] : arguments) scope_.set(name, std::move(bound));
  int before = expansions_[macro.name]++;
  std::string outer = block_suffix_;
  if (before > 0) block_suffix_ += "_" + std::to_string(before);
  for (const PyStmt& s : macro.body) {
    if (s.kind == PyStmtKind::Return) ctx_.error("E0112", s.place, "a macro of loops returns nothing");
    statement(s, out);
  }
  block_suffix_ = outer;
}

// `@T.inline def f(…)` inside a function.
void PrimReader::define_macro(const PyStmt& def) {
  if (decorator_kind(ctx_, def) != DecoratorKind::Macro)
    ctx_.error("E0105", def.place, "a loop-level function holds no other functions than macros", "mark it `@T.inline`");
  macros_.insert_or_assign(def.name, &def);
}

// `i, j = f(k)`: names for the reader alone, of scalars that the host or a list has. False where there are none.
bool PrimReader::name_several(const PyExpr& target, const PyExpr& e) {
  const bool is_meta = e.kind == PyKind::Call && dotted_name(*e.items[0]).ends_with(".meta_var") && e.arg_count() == 1;
  std::optional<std::vector<Scalar>> parts = several(is_meta ? e.arg(0) : e);
  if (!parts || parts->size() != target.items.size()) return false;
  for (const PyExprPtr& part : target.items)
    if (part->kind != PyKind::Name) return false;
  for (size_t i = 0; i < parts->size(); ++i) scope_.set(target.items[i]->text, (*parts)[i]);
  return true;
}

// `x = T.meta_var(y)`: a name for the reader alone.
void PrimReader::meta_variable(const std::string& name, const PyExpr& e) {
  if (const Ref<Buffer>* b = find_buffer(e)) return scope_.set(name, *b);
  if (e.is_sequence()) return scope_.set(name, scalars(e));
  scope_.set(name, scalar(e));
}

}  // namespace sunmao::script
