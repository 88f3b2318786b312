#include "sym/walk.h"

#include <algorithm>

#include "support/diagnostic.h"

namespace sunmao {

void for_each_child(const Scalar& s, FunctionRef<void(const Scalar&)> visit) {
  switch (s->kind) {
    case ScalarKind::IntImm:
    case ScalarKind::FloatImm:
    case ScalarKind::StringImm:
    case ScalarKind::SymVar: return;
    case ScalarKind::Binary:
      visit(find<Binary>(s)->a);
      visit(find<Binary>(s)->b);
      return;
    case ScalarKind::Not: visit(find<Not>(s)->a); return;
    case ScalarKind::Cast: visit(find<Cast>(s)->value); return;
    case ScalarKind::Select: {
      const auto& n = *find<Select>(s);
      visit(n.condition);
      visit(n.then_value);
      visit(n.else_value);
      return;
    }
    case ScalarKind::Ramp:
      visit(find<Ramp>(s)->base);
      visit(find<Ramp>(s)->stride);
      return;
    case ScalarKind::Broadcast: visit(find<Broadcast>(s)->value); return;
    case ScalarKind::Let:
      visit(find<Let>(s)->value);
      visit(find<Let>(s)->body);
      return;
    case ScalarKind::ScalarCall:
      for (const Scalar& a : find<ScalarCall>(s)->args) visit(a);
      return;
    case ScalarKind::Extern:
      for (const Scalar& a : find<ExternScalar>(s)->operands()) visit(a);
      return;
  }
}

namespace {

Scalar rebuild(const Scalar& s, std::vector<Scalar> c) {
  switch (s->kind) {
    case ScalarKind::Binary: return Binary::make(find<Binary>(s)->op, c[0], c[1], s->span);
    case ScalarKind::Not: return Not::make(c[0], s->span);
    case ScalarKind::Cast: return Cast::make(s->dtype, c[0], s->span);
    case ScalarKind::Select: return Select::make(c[0], c[1], c[2], s->span);
    case ScalarKind::Ramp: return Ramp::make(c[0], c[1], s->dtype.all_lanes(), s->span);
    case ScalarKind::Broadcast: return Broadcast::make(c[0], s->dtype.all_lanes(), s->span);
    case ScalarKind::Let: return Let::make(find<Let>(s)->var, c[0], c[1], s->span);
    case ScalarKind::ScalarCall: return ScalarCall::make(find<ScalarCall>(s)->name, s->dtype, std::move(c), s->span);
    case ScalarKind::Extern: return find<ExternScalar>(s)->with_operands(std::move(c));
    default: SUNMAO_CHECK(false, "a leaf has no children"); return s;
  }
}

}  // namespace

Scalar map_children(const Scalar& s, FunctionRef<Scalar(const Scalar&)> map) {
  // Most nodes by far are these, for which no vector is allocated.
  if (const auto* binary = find<Binary>(s)) {
    Scalar a = map(binary->a), b = map(binary->b);
    return a == binary->a && b == binary->b ? s : Binary::make(binary->op, a, b, s->span);
  }
  if (s->kind == ScalarKind::IntImm || s->kind == ScalarKind::FloatImm || s->kind == ScalarKind::SymVar) return s;
  std::vector<Scalar> children;
  bool changed = false;
  for_each_child(s, [&](const Scalar& child) {
    children.push_back(map(child));
    changed |= !children.back().same_as(child);
  });
  return changed ? rebuild(s, std::move(children)) : s;
}

Scalar rewrite(const Scalar& s, FunctionRef<Scalar(const Scalar&)> map) {
  Scalar inner = map_children(s, [&](const Scalar& child) { return rewrite(child, map); });
  Scalar mapped = map(inner);
  return mapped ? mapped : inner;
}

void visit_all(const Scalar& s, FunctionRef<void(const Scalar&)> visit) {
  visit(s);
  for_each_child(s, [&](const Scalar& child) { visit_all(child, visit); });
}

Scalar substitute(const Scalar& s, const Substitution& map) {
  if (map.empty()) return s;
  return rewrite(s, [&](const Scalar& node) -> Scalar {
    auto it = find<SymVar>(node) ? map.find(find_ref<SymVar>(node)) : map.end();
    return it == map.end() ? Scalar() : it->second;
  });
}

std::vector<Ref<SymVar>> free_symbols(const Scalar& s) {
  std::vector<Ref<SymVar>> found, bound;
  visit_all(s, [&](const Scalar& node) {
    if (const auto* let = find<Let>(node)) bound.push_back(let->var);
    Ref<SymVar> var = find_ref<SymVar>(node);
    if (var && std::ranges::find(found, var) == found.end()) found.push_back(var);
  });
  std::erase_if(found, [&](const Ref<SymVar>& v) { return std::ranges::find(bound, v) != bound.end(); });
  return found;
}

bool uses(const Scalar& s, const SymVar& var) {
  if (s.get() == &var) return true;
  bool found = false;
  for_each_child(s, [&](const Scalar& child) { found = found || uses(child, var); });
  return found;
}

}  // namespace sunmao
