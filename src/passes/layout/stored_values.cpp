#include "passes/layout/stored_values.h"

#include <algorithm>

#include "ops/ops.h"
#include "passes/analysis/variables.h"

namespace sunmao {
namespace {

Expr call_op(const char* name, const Expr& x, AttrMap attrs) {
  return Call::make(builtin_ops().get(name), {x}, Attrs(std::move(attrs)), {}, x->span);
}

Expr reordered(const Expr& x, const AxisOrder& from, const AxisOrder& to) {
  if (auto axes = from.permutation_to(to)) return call_op("permute_dims", x, {{"axes", AttrValue::ints(*axes)}});
  return call_op("layout_transform", x, {{"index_map", AttrValue(from.map_to(to))}});
}

bool differ(const ValueLayout& from, const ValueLayout& to) {
  if (from.tensor && to.tensor) return *from.tensor != *to.tensor;
  for (size_t i = 0; i < std::min(from.fields.size(), to.fields.size()); ++i)
    if (differ(from.fields[i], to.fields[i])) return true;
  return false;
}

}  // namespace

StoredValues::StoredValues(const Function& f) {
  for (const Ref<Var>& v : all_vars(Expr(&f))) names_.reserve(v->name);
}

Expr StoredValues::emit_new(Expr value) {
  return find<Var>(value) ? value : emit(std::move(value), names_.fresh("lv"));
}

Expr StoredValues::visit(const Var& var) {
  Expr now = Rewriter::visit(var);
  auto it = layouts_.find(Ref<Var>(&var));
  return it == layouts_.end() ? now : emit_new(converted(now, it->second, ValueLayout::original(var.type)));
}

ValueLayout StoredValues::layout_of(const Expr& e) const {
  if (const auto* tuple = find<Tuple>(e)) {
    ValueLayout out;
    for (const Expr& f : tuple->fields) out.fields.push_back(layout_of(f));
    return out;
  }
  if (const auto* item = find<TupleGetItem>(e)) {
    ValueLayout tuple = layout_of(item->tuple);
    if (static_cast<size_t>(item->index) < tuple.fields.size()) return tuple.fields[static_cast<size_t>(item->index)];
  }
  auto it = layouts_.find(find_ref<Var>(e));
  return it == layouts_.end() ? ValueLayout::original(e->type) : it->second;
}

Expr StoredValues::current(const Expr& e) {
  if (const auto* var = find<Var>(e)) return Rewriter::visit(*var);
  Expr mapped = map_tuple_parts(e, [this](const Expr& part) { return current(part); });
  return mapped ? mapped : visit(e);
}

Expr StoredValues::stored(const Expr& e, const ValueLayout& layout) {
  if (const auto* tuple = find<Tuple>(e)) {
    if (layout.fields.size() != tuple->fields.size()) return current(e);
    std::vector<Expr> fields;
    for (size_t i = 0; i < tuple->fields.size(); ++i) fields.push_back(stored(tuple->fields[i], layout.fields[i]));
    return fields == tuple->fields ? e : Tuple::make(std::move(fields), e->span);
  }
  Expr out = converted(current(e), layout_of(e), layout);
  return find<Tuple>(out) ? out : emit_new(out);
}

Expr StoredValues::converted(const Expr& e, const ValueLayout& from, const ValueLayout& to) {
  if (!differ(from, to)) return e;
  if (from.tensor) return reordered(emit_new(e), *from.tensor, *to.tensor);
  Expr tuple = emit_new(e);
  std::vector<Expr> fields;
  for (size_t i = 0; i < from.fields.size(); ++i) {
    Expr field = emit_new(TupleGetItem::make(tuple, static_cast<int>(i), e->span));
    Expr out = converted(field, from.fields[i], to.fields[i]);
    fields.push_back(find<Tuple>(out) ? out : emit_new(out));
  }
  return Tuple::make(std::move(fields), e->span);
}

void StoredValues::bind_stored(const Binding& b, Expr value, const ValueLayout& layout) {
  if (b.var->is_dataflow) {
    note(b.var, layout);
    return bind(b, std::move(value));
  }
  bind(b, converted(value, layout, ValueLayout::original(b.var->type)));
}

void StoredValues::note(const Ref<Var>& var, const ValueLayout& layout) {
  if (!layout.is_original()) layouts_[var] = layout;
}

}  // namespace sunmao
