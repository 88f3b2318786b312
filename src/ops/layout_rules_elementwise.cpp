// Layout rules of elementwise ops, and of ops whose tensor arguments share one storage order.
#include <algorithm>

#include "ops/layout_rule.h"

namespace sunmao {
namespace {

ValueLayout alike(const AxisOrder& order, const Type& type) {
  const auto* tuple = find<TupleType>(type);
  if (!tuple) return ValueLayout::of(order);
  return {std::nullopt, std::vector<ValueLayout>(tuple->fields.size(), ValueLayout::of(order))};
}

// Returns the storage order that each argument needs when the result is stored in `order`; absent when one cannot have
// it.
std::optional<std::vector<ValueLayout>> operands(const LayoutRequest& r, const AxisOrder& order) {
  std::vector<ValueLayout> out = r.args;
  for (size_t i = 0; i < out.size(); ++i) {
    if (!out[i].tensor || r.tensor(i).rank == 0) continue;
    std::optional<AxisOrder> own = order.without_first(order.original_rank() - r.tensor(i).rank);
    if (!own || !r.fits(*own, r.call.args[i]->type)) return std::nullopt;
    out[i].tensor = std::move(own);
  }
  return out;
}

}  // namespace

std::optional<LayoutPlan> layout_elementwise(const LayoutRequest& r) {
  int rank = 0;
  for (const ValueLayout& a : r.args) rank = std::max(rank, a.tensor ? a.tensor->original_rank() : 0);
  std::vector<AxisOrder> now;
  for (const ValueLayout& a : r.args)
    if (a.tensor && a.tensor->rank() > 0) now.push_back(a.tensor->behind(rank - a.tensor->original_rank()));
  for (const AxisOrder& order : preferred_orders(now))
    if (auto args = operands(r, order)) return LayoutPlan{std::move(*args), alike(order, r.call.type)};
  return std::nullopt;
}

std::optional<LayoutPlan> layout_joint_axis(const LayoutRequest& r) {
  std::vector<AxisOrder> now;
  for (const ValueLayout& a : r.args) now.push_back(*a.tensor);
  for (const AxisOrder& order : preferred_orders(now)) {
    std::optional<int> axis = order.whole_position(*r.call.attrs.find<int64_t>("axis"));
    if (!axis || order.is_blocked()) continue;
    return LayoutPlan{std::vector(now.size(), ValueLayout::of(order)), ValueLayout::of(order), {{"axis", *axis}}};
  }
  return std::nullopt;
}

// scatter_nd: the indexed axes must be stored first; the remaining axes of the updates are stored like those of the
// data.
std::optional<LayoutPlan> layout_scatter_nd(const LayoutRequest& r) {
  const std::vector<Scalar>* dims = r.tensor(1).dims();
  const int64_t* indexed = dims && !dims->empty() ? find_int(dims->back()) : nullptr;
  const int lead = r.tensor(1).rank - 1;
  for (const AxisOrder& order : preferred_orders({r.order(0)})) {
    std::optional<AxisOrder> rest = indexed ? order.without_first(static_cast<int>(*indexed)) : std::nullopt;
    if (!rest || order.is_blocked()) continue;
    return LayoutPlan{
        {ValueLayout::of(order), ValueLayout::original(r.call.args[1]->type), ValueLayout::of(rest->behind(lead))},
        ValueLayout::of(order)};
  }
  return std::nullopt;
}

}  // namespace sunmao
