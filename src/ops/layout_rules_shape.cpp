// Layout rules of ops that join, split, add, remove and permute axes.
#include <algorithm>

#include "ops/layout_rule.h"

namespace sunmao {
namespace {

// Returns the present storage orders of the first argument's fields; absent when it is not a tuple of tensors.
std::optional<std::vector<AxisOrder>> field_orders(const LayoutRequest& r) {
  std::vector<AxisOrder> out;
  for (const ValueLayout& f : r.args[0].fields) {
    if (!f.tensor) return std::nullopt;
    out.push_back(*f.tensor);
  }
  return out.empty() ? std::nullopt : std::optional(std::move(out));
}

bool all_fit(const LayoutRequest& r, const AxisOrder& order, const Type& tuple) {
  const auto* types = find<TupleType>(tuple);
  return types && std::ranges::all_of(types->fields, [&](const Type& t) { return r.fits(order, t); });
}

ValueLayout tuple_of(const AxisOrder& order, size_t count) {
  return {std::nullopt, std::vector<ValueLayout>(count, ValueLayout::of(order))};
}

int64_t from_front(int64_t axis, int rank) { return axis < 0 ? axis + rank : axis; }

}  // namespace

std::optional<LayoutPlan> layout_concat(const LayoutRequest& r) {
  auto now = field_orders(r);
  const int64_t* axis = r.call.attrs.find<int64_t>("axis");
  if (!now || !axis) return std::nullopt;
  for (const AxisOrder& order : preferred_orders(*now)) {
    if (!all_fit(r, order, r.call.args[0]->type)) continue;
    const int own = static_cast<int>(from_front(*axis, order.original_rank()));
    return LayoutPlan{{tuple_of(order, now->size())}, ValueLayout::of(order), {{"axis", order.position(own)}}};
  }
  return std::nullopt;
}

// The new axis of a stack is stored at its original position.
std::optional<LayoutPlan> layout_stack(const LayoutRequest& r) {
  auto now = field_orders(r);
  if (!now) return std::nullopt;
  for (const AxisOrder& order : preferred_orders(*now)) {
    if (!all_fit(r, order, r.call.args[0]->type)) continue;
    const int rank = order.original_rank();
    const int axis = static_cast<int>(from_front(*r.call.attrs.find<int64_t>("axis"), rank + 1));
    std::vector<int> names;
    for (int i = 0; i < rank; ++i) names.push_back(i < axis ? i : i + 1);
    std::vector<AxisOrder::Part> parts = order.renamed(names).parts();
    parts.insert(parts.begin() + axis, AxisOrder::Part{axis});
    return LayoutPlan{{tuple_of(order, now->size())}, ValueLayout::of(AxisOrder(std::move(parts))), {{"axis", axis}}};
  }
  return std::nullopt;
}

// A tensor that is split along a blocked axis must have a whole number of blocks in each part.
std::optional<LayoutPlan> layout_split(const LayoutRequest& r) {
  const AxisOrder& order = r.order(0);
  const int axis = static_cast<int>(from_front(*r.call.attrs.find<int64_t>("axis"), order.original_rank()));
  const auto* parts = find<TupleType>(r.call.type);
  LayoutPlan plan{{r.args[0]}, parts ? tuple_of(order, parts->fields.size()) : r.args[0]};
  plan.attrs["axis"] = order.position(axis);
  if (order.is_blocked() && parts && !all_fit(r, order, r.call.type)) return std::nullopt;
  const int64_t block = order.block_of(axis);
  auto borders = r.call.attrs.find("indices_or_sections")->as_ints();
  if (block == 1 || !borders || !parts) return plan;
  for (int64_t& b : *borders) {
    if (b % block != 0) return std::nullopt;
    b /= block;
  }
  plan.attrs["indices_or_sections"] = AttrValue::ints(*borders);
  return plan;
}

// permute_dims: the permutation composes with the present storage order; the result is in original order.
std::optional<LayoutPlan> layout_permute_dims(const LayoutRequest& r) {
  const AxisOrder& order = r.order(0);
  if (order.is_blocked()) return std::nullopt;
  const AttrValue* given = r.call.attrs.find("axes");
  auto axes = given ? given->as_ints() : std::nullopt;
  std::vector<int64_t> moved;
  for (int i = 0; i < order.rank(); ++i) {
    const int64_t own = axes ? from_front((*axes)[static_cast<size_t>(i)], order.rank()) : order.rank() - 1 - i;
    moved.push_back(order.position(static_cast<int>(own)));
  }
  return LayoutPlan{{r.args[0]}, ValueLayout::original(r.call.type), {{"axes", AttrValue::ints(moved)}}};
}

// expand_dims: new axes keep their original positions; the others follow in their storage order.
std::optional<LayoutPlan> layout_expand_dims(const LayoutRequest& r) {
  const AxisOrder& order = r.order(0);
  auto axes = r.call.attrs.find("axis")->as_ints();
  if (!axes || order.is_blocked()) return std::nullopt;
  const int rank = order.rank() + static_cast<int>(axes->size());
  std::vector<bool> is_new(static_cast<size_t>(rank), false);
  for (int64_t a : *axes) is_new[static_cast<size_t>(from_front(a, rank))] = true;
  std::vector<int> names;
  for (int i = 0; i < rank; ++i)
    if (!is_new[static_cast<size_t>(i)]) names.push_back(i);
  const AxisOrder old = order.renamed(names);
  std::vector<AxisOrder::Part> parts;
  size_t next = 0;
  for (int i = 0; i < rank; ++i)
    parts.push_back(is_new[static_cast<size_t>(i)] ? AxisOrder::Part{i} : old.parts()[next++]);
  return LayoutPlan{{r.args[0]}, ValueLayout::of(AxisOrder(std::move(parts)))};
}

// squeeze removes the named axes, or all axes if none is named, except those whose size is a constant other than 1. If
// none is named, every size must be a constant.
std::optional<LayoutPlan> layout_squeeze(const LayoutRequest& r) {
  const AxisOrder& order = r.order(0);
  const std::vector<Scalar>* dims = r.tensor(0).dims();
  const AttrValue* given = r.call.attrs.find("axis");
  auto named = given ? given->as_ints() : std::nullopt;
  if (order.is_blocked() || (!named && !dims)) return std::nullopt;
  if (named)
    for (int64_t& a : *named) a = from_front(a, order.rank());
  std::vector<int> names;
  std::vector<int64_t> gone;
  for (int axis = 0, next = 0; axis < order.rank(); ++axis) {
    const int64_t* size = dims ? find_int((*dims)[static_cast<size_t>(axis)]) : nullptr;
    if (!named && !size) return std::nullopt;
    const bool goes = (!named || std::ranges::find(*named, axis) != named->end()) && (!size || *size == 1);
    names.push_back(goes ? -1 : next++);
    if (goes) gone.push_back(order.position(axis));
  }
  std::ranges::sort(gone);
  return LayoutPlan{{r.args[0]}, ValueLayout::of(order.renamed(names)), {{"axis", AttrValue::ints(gone)}}};
}

}  // namespace sunmao
