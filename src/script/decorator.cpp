#include "script/decorator.h"

#include <algorithm>

namespace sunmao::script {
namespace {

const PyExpr& mark_of(const PyExpr& decorator) {
  return decorator.kind == PyKind::Call ? *decorator.items[0] : decorator;
}

std::string last_name(const PyExpr& e) {
  std::string name = dotted_name(e);
  return name.substr(name.rfind('.') + 1);
}

}  // namespace

DecoratorKind decorator_kind(const ScriptContext& context, const PyStmt& def) {
  DecoratorKind kind = DecoratorKind::None;
  for (const PyExprPtr& d : def.decorators) {
    std::string name = last_name(mark_of(*d));
    DecoratorKind found = name == "ir_module"   ? DecoratorKind::Module
                          : name == "function"  ? DecoratorKind::Graph
                          : name == "prim_func" ? DecoratorKind::Loop
                                                : DecoratorKind::None;
    if (name == "inline" || name == "macro") found = DecoratorKind::Macro;
    if (found == DecoratorKind::None && name == "pyfunc")
      context.error("E0117", d->place,
                    fmt::format("`@{}` is not part of the dialect that is read here", unparse(mark_of(*d))),
                    "write the function out with `@R.function` or `@T.prim_func`");
    if (found != DecoratorKind::None) kind = found;
  }
  if (kind == DecoratorKind::None && !def.decorators.empty())
    context.error("E0117", def.decorators[0]->place,
                  fmt::format("`@{}` marks nothing that a script can hold", unparse(*def.decorators[0])),
                  "scripts hold `@I.ir_module`, `@R.function`, `@T.prim_func` and `@T.macro`");
  bool is_class = def.kind == PyStmtKind::Class;
  if (kind != DecoratorKind::None && is_class != (kind == DecoratorKind::Module))
    context.error(
        "E0117", def.decorators[0]->place,
        is_class ? "a class is marked `@I.ir_module`" : "a function is marked `@R.function` or `@T.prim_func`");
  return kind;
}

std::optional<bool> decorator_flag(const ScriptContext& context, const PyStmt& def, std::string_view name) {
  for (const PyExprPtr& d : def.decorators) {
    const PyExpr* given = d->kind == PyKind::Call ? d->find_keyword(name) : nullptr;
    if (!given) continue;
    if (given->is_literal("True")) return true;
    if (given->is_literal("False")) return false;
    if (std::optional<HostValue> host = context.host(*given)) {
      const AttrValue* attr = std::get_if<AttrValue>(&*host);
      if (const bool* flag = attr ? attr->find<bool>() : nullptr) return *flag;
    }
    context.error("E0110", given->place, fmt::format("`{}` must be True or False, got `{}`", name, unparse(*given)));
  }
  return std::nullopt;
}

std::string global_name(const ScriptContext& context, const PyStmt& def) {
  for (const PyExprPtr& d : def.decorators) {
    const PyExpr* given = d->kind == PyKind::Call ? d->find_keyword("global_name") : nullptr;
    if (!given) continue;
    if (given->kind == PyKind::String) return given->text;
    context.error("E0110", given->place, fmt::format("`global_name` must be text, got `{}`", unparse(*given)));
  }
  return def.name;
}

void check_decorator(const ScriptContext& context, const PyStmt& def, std::initializer_list<std::string_view> known) {
  for (const PyExprPtr& d : def.decorators) {
    if (d->kind != PyKind::Call) continue;
    if (d->arg_count() > 0)
      context.error("E0108", d->arg(0).place, fmt::format("`@{}` takes keywords only", unparse(mark_of(*d))));
    for (const PyKeyword& k : d->keywords)
      if (std::find(known.begin(), known.end(), k.name) == known.end())
        context.error("E0109", k.place, fmt::format("`@{}` has no argument named `{}`", unparse(mark_of(*d)), k.name));
  }
}

void check_private(const ScriptContext& context, const PyStmt& def, bool is_private, const AttrMap& attrs) {
  if (is_private && attrs.contains("global_symbol"))
    context.error("E0109", def.place, fmt::format("`{}` is private and states a `global_symbol`", def.name),
                  "leave one of them out: the symbol is what makes a function public");
}

std::optional<DType> declared_scalar(const PyExpr& value) {
  if (value.kind != PyKind::Call || value.items[0]->kind != PyKind::Attribute) return std::nullopt;
  std::string name = dotted_name(*value.items[0]);
  size_t dot = name.find('.');
  std::string root = name.substr(0, dot);
  if (root != "T" && root != "tir" && root != "tirx") return std::nullopt;
  std::string function = name.substr(dot + 1);
  if (function == "handle" || function == "ptr") return DType::handle();
  if (value.arg_count() > 0) return std::nullopt;
  if (function == "boolean") return DType::bool_();
  if (value.keywords.size() > 1 || (value.keywords.size() == 1 && value.keywords[0].name != "is_size_var"))
    return std::nullopt;
  std::optional<DType> type = DType::parse(name.substr(dot + 1));
  return type && !type->is_void() ? type : std::nullopt;
}

std::vector<Assigned> assigned_parts(const PyStmt& s) {
  const PyExpr &target = *s.target, &value = *s.value;
  bool several = target.is_sequence() && value.is_sequence() && target.items.size() == value.items.size();
  if (!several) return {{&target, &value}};
  std::vector<Assigned> out;
  for (size_t i = 0; i < target.items.size(); ++i) out.push_back({target.items[i].get(), value.items[i].get()});
  return out;
}

}  // namespace sunmao::script
