// RelaxPrinter for expressions and calls.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "script/relax_printer.h"
#include "script/spelling.h"

namespace sunmao::script {

std::string RelaxPrinter::expr(const Expr& e) {
  switch (e->kind) {
    case ExprKind::GlobalVar: {
      std::string name = state_.function_name(find<GlobalVar>(e)->name);
      uses_module_ |= state_.module != nullptr && !in_attributes_;
      std::string alias = in_attributes_ ? "" : state_.options.module_alias;  // attributes precede the alias's binding
      return state_.module ? (alias.empty() ? "Module" : alias) + "." + name : name;
    }
    case ExprKind::Call: return call(*find<Call>(e));
    case ExprKind::PrimValue: {
      // Printed as `R.prim_value(value=n)`: the bare name would denote the scalar parameter rather than its symbol.
      const auto* symbol = find<SymVar>(find<PrimValue>(e)->value);
      std::string text = Printer::expr(e);
      return symbol && own_symbols_.contains(symbol) ? fmt::format("R.prim_value(value={})", text) : text;
    }
    case ExprKind::If:
    case ExprKind::SeqExpr: return hoisted(e, "value");
    case ExprKind::Function: return hoisted(e, "func");
    default: return Printer::expr(e);
  }
}

std::vector<std::string> RelaxPrinter::exprs(const std::vector<Expr>& list, size_t from) {
  std::vector<std::string> out;
  for (size_t i = from; i < list.size(); ++i) out.push_back(expr(list[i]));
  return out;
}

std::string RelaxPrinter::types(const std::vector<Type>& list) {
  if (list.size() == 1) return type(list[0]);
  std::vector<std::string> parts;
  for (const Type& t : list) parts.push_back(type(t));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

// Returns the callee of a call such as `R.call_packed` or `R.call_tir`: the quoted name of an extern function without
// attributes or a type of its own, any other callee as an expression.
std::string RelaxPrinter::callee(const Expr& e) {
  const auto* extern_func = find<ExternFunc>(e);
  const bool is_named = extern_func && extern_func->attrs.empty() && is_plain_extern_type(extern_func->type);
  return is_named ? quote(extern_func->name) : expr(e);
}

std::string RelaxPrinter::call(const Call& c) {
  std::vector<std::string> parts;
  if (const Op* op = op_of(c)) return op_call(*op, c);
  if (find<ExternFunc>(c.callee)) {
    parts = exprs(c.args);
    parts.insert(parts.begin(), callee(c.callee));
    keywords(c, parts);
    return fmt::format("R.call_packed({})", fmt::join(parts, ", "));
  }
  std::string function = expr(c.callee);
  return fmt::format("{}({})", function, fmt::join(exprs(c.args), ", "));
}

// Prints the attributes of a call in the order of the op's record, unknown ones last.
void RelaxPrinter::attributes(const Call& c, std::vector<std::string>& parts) {
  const Op* op = op_of(c);
  if (op)
    for (const OpParam& p : op->info.params)
      if (const AttrValue* v = c.attrs.find(p.name)) parts.push_back(p.name + "=" + named_value(p.name, *v));
  for (const auto& [name, v] : c.attrs.values())
    if (!op || !op->find_param(name)) parts.push_back(name + "=" + named_value(name, v));
}

void RelaxPrinter::keywords(const Call& c, std::vector<std::string>& parts) {
  attributes(c, parts);
  type_args(c, parts);
}

void RelaxPrinter::type_args(const Call& c, std::vector<std::string>& parts) {
  if (c.type_args.empty()) return;
  std::vector<std::string> list;
  for (const Type& t : c.type_args) list.push_back(type(t));
  parts.push_back("ty_args=" + tuple(list));
}

std::string RelaxPrinter::op_call(const Op& op, const Call& c) {
  const std::string& name = op.name();
  std::vector<std::string> parts;
  bool is_tir = name == "call_dps_packed" || name.starts_with("call_tir");
  if (is_tir && c.args.size() >= 2) {
    parts = {callee(c.args[0]), expr(c.args[1])};
    if (!c.type_args.empty()) parts.push_back("out_ty=" + types(c.type_args));
    attributes(c, parts);
    if (c.args.size() > 2) parts.push_back("tir_vars=" + expr(c.args[2]));
  } else if (name == "call_pure_packed" && c.args.size() == 2) {
    parts.push_back(callee(c.args[0]));
    if (const auto* args = find<Tuple>(c.args[1])) {
      for (std::string& a : exprs(args->fields)) parts.push_back(std::move(a));
    } else {
      parts.push_back("*" + expr(c.args[1]));
    }
    keywords(c, parts);
  } else {
    arguments(op, c, parts);
  }
  return fmt::format("R.{}({})", name, fmt::join(parts, ", "));
}

namespace {

bool fills_in(const Op& op, const Call& c, const OpParam& p, const AttrValue& v) {
  if (!p.default_value) return false;
  std::vector<Expr> args = c.args;
  Attrs rest = op.complete(args, c.attrs.without(p.name));
  const AttrValue* filled = rest.find(p.name);
  return filled && filled->same_plain(v);
}

}  // namespace

// Prints the arguments of an op's call in the order of its record: operands by position up to the first attribute or
// omitted operand, then by keyword. Attributes with the value that the record fills in by itself are omitted.
void RelaxPrinter::arguments(const Op& op, const Call& c, std::vector<std::string>& parts) {
  size_t next = 0;
  bool by_position = true;
  for (const OpParam& p : op.info.params) {
    if (p.kind == ParamKind::Attr) {
      by_position = false;
      const AttrValue* v = c.attrs.find(p.name);
      if (v && !fills_in(op, c, p, *v)) parts.push_back(fmt::format("{}={}", p.name, named_value(p.name, *v)));
    } else if (p.kind == ParamKind::Variadic || p.kind == ParamKind::List) {
      std::vector<std::string> rest;
      for (; next < c.args.size(); ++next) rest.push_back(expr(c.args[next]));
      if (p.kind == ParamKind::Variadic)
        parts.insert(parts.end(), rest.begin(), rest.end());
      else if (rest.size() == 1 && !find<Tuple>(c.args.back()))
        parts.push_back(rest[0]);
      else if (!rest.empty())
        parts.push_back(fmt::format("[{}]", fmt::join(rest, ", ")));
    } else if (next < c.args.size()) {
      const Expr& arg = c.args[next++];
      if (p.default_value && find<Tuple>(arg) && find<Tuple>(arg)->fields.empty()) {
        by_position = false;
        continue;
      }
      std::string text = p.kind == ParamKind::Func ? callee(arg) : expr(arg);
      parts.push_back(by_position ? text : fmt::format("{}={}", p.name, text));
    }
  }
  for (; next < c.args.size(); ++next) parts.push_back(expr(c.args[next]));
  for (const auto& [name, v] : c.attrs.values())
    if (!op.find_param(name)) parts.push_back(fmt::format("{}={}", name, named_value(name, v)));
  type_args(c, parts);
}

}  // namespace sunmao::script
