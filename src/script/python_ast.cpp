#include "script/python_ast.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "script/spelling.h"

namespace sunmao::script {

const PyExpr* PyExpr::find_keyword(std::string_view name) const {
  for (const PyKeyword& k : keywords)
    if (k.name == name) return k.value.get();
  return nullptr;
}

std::vector<std::string> chained_operators(const PyExpr& e) {
  std::vector<std::string> out;
  std::istringstream words(e.text);
  for (std::string op; words >> op;) out.push_back(op);
  return out;
}

namespace {

std::string unparse_all(const std::vector<PyExprPtr>& items, size_t from = 0) {
  std::vector<std::string> parts;
  for (size_t i = from; i < items.size(); ++i) parts.push_back(unparse(*items[i]));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string unparse_call(const PyExpr& e) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < e.arg_count(); ++i) parts.push_back(unparse(e.arg(i)));
  for (const PyKeyword& k : e.keywords)
    parts.push_back(k.name.empty() ? "**" + unparse(*k.value) : k.name + "=" + unparse(*k.value));
  return fmt::format("{}({})", unparse(*e.items[0]), fmt::join(parts, ", "));
}

std::string unparse_slice(const PyExpr& e) {
  auto part = [&](size_t i) { return e.items[i] ? unparse(*e.items[i]) : std::string(); };
  return part(0) + ":" + part(1) + (e.items[2] ? ":" + part(2) : "");
}

std::string unparse_chain(const PyExpr& e) {
  std::string out = "(" + unparse(*e.items[0]);
  std::vector<std::string> ops = chained_operators(e);
  for (size_t i = 0; i < ops.size(); ++i) out += fmt::format(" {} {}", ops[i], unparse(*e.items[i + 1]));
  return out + ")";
}

std::string unparse_dict(const PyExpr& e) {
  std::vector<std::string> parts;
  for (size_t i = 0; i + 1 < e.items.size(); i += 2)
    parts.push_back(unparse(*e.items[i]) + ": " + unparse(*e.items[i + 1]));
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

}  // namespace

std::string unparse(const PyExpr& e) {
  switch (e.kind) {
    case PyKind::Name:
    case PyKind::Number:
    case PyKind::Literal: return e.text;
    case PyKind::String: return quote(e.text);
    case PyKind::Attribute: return unparse(*e.items[0]) + "." + e.text;
    case PyKind::Call: return unparse_call(e);
    case PyKind::Subscript: return fmt::format("{}[{}]", unparse(*e.items[0]), unparse(*e.items[1]));
    case PyKind::Slice: return unparse_slice(e);
    case PyKind::Tuple: return fmt::format("({}{})", unparse_all(e.items), e.items.size() == 1 ? "," : "");
    case PyKind::List: return fmt::format("[{}]", unparse_all(e.items));
    case PyKind::Dict: return unparse_dict(e);
    case PyKind::Unary: return fmt::format("({}{}{})", e.text, e.text == "not" ? " " : "", unparse(*e.items[0]));
    case PyKind::Binary: return fmt::format("({} {} {})", unparse(*e.items[0]), e.text, unparse(*e.items[1]));
    case PyKind::Compare: return unparse_chain(e);
    case PyKind::Conditional:
      return fmt::format("({} if {} else {})", unparse(*e.items[0]), unparse(*e.items[1]), unparse(*e.items[2]));
    case PyKind::Lambda: {
      std::vector<std::string> names;
      for (const PyKeyword& k : e.keywords) names.push_back(k.name);
      return fmt::format("(lambda {}: {})", fmt::join(names, ", "), unparse(*e.items[0]));
    }
    case PyKind::Starred: return "*" + unparse(*e.items[0]);
  }
  return {};
}

std::string dotted_name(const PyExpr& e) {
  if (e.kind == PyKind::Name) return e.text;
  if (e.kind != PyKind::Attribute) return {};
  std::string base = dotted_name(*e.items[0]);
  return base.empty() ? base : base + "." + e.text;
}

const PyExpr* root_name(const PyExpr& e) {
  const PyExpr* at = &e;
  while (at->kind == PyKind::Attribute || at->kind == PyKind::Call || at->kind == PyKind::Subscript)
    at = at->items[0].get();
  return at->kind == PyKind::Name ? at : nullptr;
}

std::vector<const PyExpr*> elements(const PyExpr& e) {
  std::vector<const PyExpr*> out;
  if (!e.is_sequence()) return {&e};
  for (const PyExprPtr& item : e.items) out.push_back(item.get());
  return out;
}

void visit_exprs(const PyExpr& e, const std::function<void(const PyExpr&)>& visit) {
  visit(e);
  for (const PyExprPtr& item : e.items)
    if (item) visit_exprs(*item, visit);
  for (const PyKeyword& k : e.keywords)
    if (k.value) visit_exprs(*k.value, visit);
}

void visit_exprs(const std::vector<PyStmt>& body, const std::function<void(const PyExpr&)>& visit) {
  for (const PyStmt& s : body) {
    for (const PyExprPtr* e : {&s.target, &s.value, &s.annotation})
      if (*e) visit_exprs(**e, visit);
    for (const PyWithItem& item : s.with_items) {
      visit_exprs(*item.value, visit);
      if (item.target) visit_exprs(*item.target, visit);
    }
    visit_exprs(s.body, visit);
    visit_exprs(s.orelse, visit);
  }
}

}  // namespace sunmao::script
