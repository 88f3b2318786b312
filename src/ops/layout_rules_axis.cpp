// Layout rules of ops that work along axes of their first argument, such as norms, reductions, slices, repetitions and
// padding.
#include <algorithm>

#include "ops/layout_rule.h"
#include "ops/params.h"

namespace sunmao {
namespace {

std::optional<int> moved_axis(const LayoutRequest& r, const char* attr) {
  const int64_t* axis = r.call.attrs.find<int64_t>(attr);
  return axis ? r.order(0).whole_position(*axis) : std::nullopt;
}

std::optional<AttrValue> moved_axes(const LayoutRequest& r, const char* attr) {
  const AttrValue* value = r.call.attrs.find(attr);
  auto axes = value ? value->as_ints() : std::nullopt;
  if (!axes) return std::nullopt;
  for (int64_t& a : *axes) {
    std::optional<int> moved = r.order(0).whole_position(a);
    if (!moved) return std::nullopt;
    a = *moved;
  }
  return AttrValue::ints(*axes);
}

// Keeps the present storage order of the first argument for it and for the result.
LayoutPlan as_it_is(const LayoutRequest& r, AttrMap attrs) { return {{r.args[0]}, r.args[0], std::move(attrs)}; }

}  // namespace

std::optional<LayoutPlan> layout_along_axis(const LayoutRequest& r) {
  if (std::optional<int> axis = moved_axis(r, "axis")) return as_it_is(r, {{"axis", *axis}});
  return std::nullopt;
}

std::optional<LayoutPlan> layout_along_axes(const LayoutRequest& r) {
  if (auto axes = moved_axes(r, "axes")) return as_it_is(r, {{"axes", *axes}});
  return std::nullopt;
}

std::optional<LayoutPlan> layout_batch_norm(const LayoutRequest& r) {
  std::optional<LayoutPlan> plan = layout_along_axis(r);
  if (plan) {
    plan->result = ValueLayout::original(r.call.type);
    plan->result.fields[0] = r.args[0];
  }
  return plan;
}

std::optional<LayoutPlan> layout_channel_norm(const LayoutRequest& r) {
  std::optional<int> channel = moved_axis(r, "channel_axis");
  auto axes = moved_axes(r, "axes");
  if (!channel || !axes) return std::nullopt;
  return as_it_is(r, {{"channel_axis", *channel}, {"axes", *axes}});
}

// Reductions: an axis stored in blocks is reduced over both its outer and inner part. With keepdims its size would be
// 1, no multiple of a block, so there is no plan.
std::optional<LayoutPlan> layout_reduction(const LayoutRequest& r) {
  const AxisOrder& order = r.order(0);
  const int rank = order.original_rank();
  const AttrValue* value = r.call.attrs.find("axis");
  auto given = value ? value->as_ints() : std::nullopt;
  std::vector<bool> reduced(static_cast<size_t>(rank), !given);
  if (given)
    for (int64_t a : *given) reduced[static_cast<size_t>(a < 0 ? a + rank : a)] = true;
  const bool* keeps = r.call.attrs.find<bool>("keepdims");
  std::vector<int> names;
  int next = 0;
  for (int i = 0; i < rank; ++i) {
    const bool goes = reduced[static_cast<size_t>(i)];
    if (keeps && *keeps && goes && order.block_of(i) != 1) return std::nullopt;
    names.push_back(goes && !(keeps && *keeps) ? -1 : next++);
  }
  std::vector<int64_t> axes;
  for (int i = 0; i < order.rank(); ++i)
    if (reduced[static_cast<size_t>(order.parts()[static_cast<size_t>(i)].axis)]) axes.push_back(i);
  return LayoutPlan{{r.args[0]}, ValueLayout::of(order.renamed(names)), {{"axis", AttrValue::ints(axes)}}};
}

std::optional<LayoutPlan> layout_strided_slice(const LayoutRequest& r) {
  auto axes = scalar_values(r.call.args[1]);
  if (!axes) return std::nullopt;
  std::vector<Expr> moved;
  for (const Scalar& a : *axes) {
    const int64_t* axis = find_int(a);
    std::optional<int> place = axis ? r.order(0).whole_position(*axis) : std::nullopt;
    if (!place) return std::nullopt;
    moved.push_back(PrimValue::make(int_imm(*place)));
  }
  LayoutPlan plan = as_it_is(r, {});
  plan.new_args.emplace_back(1, Tuple::make(std::move(moved), r.call.args[1]->span));
  return plan;
}

// The repeats of a tile are aligned at the last axis; excess leading ones create new leading axes.
std::optional<LayoutPlan> layout_tile(const LayoutRequest& r) {
  const AxisOrder& order = r.order(0);
  auto repeats = r.call.attrs.find("repeats")->as_ints();
  if (!repeats || order.is_blocked()) return std::nullopt;
  const size_t rank = static_cast<size_t>(order.rank());
  if (repeats->size() < rank) repeats->insert(repeats->begin(), rank - repeats->size(), 1);
  const size_t lead = repeats->size() - rank;
  std::vector<int64_t> moved(repeats->begin(), repeats->begin() + static_cast<std::ptrdiff_t>(lead));
  for (const AxisOrder::Part& p : order.parts()) moved.push_back((*repeats)[lead + static_cast<size_t>(p.axis)]);
  return LayoutPlan{
      {r.args[0]}, ValueLayout::of(order.behind(static_cast<int>(lead))), {{"repeats", AttrValue::ints(moved)}}};
}

// Padding: there is no plan if an axis that is stored in blocks gets padding.
std::optional<LayoutPlan> layout_pad(const LayoutRequest& r) {
  const AxisOrder& order = r.order(0);
  auto widths = r.call.attrs.find("pad_width")->as_ints();
  if (!widths || widths->size() != 2 * static_cast<size_t>(order.original_rank())) return std::nullopt;
  std::vector<int64_t> moved;
  for (const AxisOrder::Part& p : order.parts()) {
    const size_t at = 2 * static_cast<size_t>(p.axis);
    if (order.block_of(p.axis) != 1 && ((*widths)[at] != 0 || (*widths)[at + 1] != 0)) return std::nullopt;
    moved.insert(moved.end(), {(*widths)[at], (*widths)[at + 1]});
  }
  return as_it_is(r, {{"pad_width", AttrValue::ints(moved)}});
}

}  // namespace sunmao
