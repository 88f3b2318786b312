#include "ops/layout_rule.h"

#include <algorithm>

namespace sunmao {

ValueLayout ValueLayout::original(const Type& type) {
  ValueLayout out;
  if (const auto* tensor = find<TensorType>(type); tensor && tensor->rank != kUnknownRank)
    out.tensor = AxisOrder::original(tensor->rank);
  if (const auto* tuple = find<TupleType>(type))
    for (const Type& f : tuple->fields) out.fields.push_back(original(f));
  return out;
}

bool ValueLayout::is_original() const {
  return (!tensor || tensor->is_original()) && std::ranges::all_of(fields, &ValueLayout::is_original);
}

const TensorType& LayoutRequest::tensor(size_t i) const { return *find<TensorType>(call.args[i]->type); }

const AxisOrder& LayoutRequest::order(size_t i) const { return *args[i].tensor; }

bool LayoutRequest::fits(const AxisOrder& order, const Type& type) const {
  const auto* tensor = find<TensorType>(type);
  if (!tensor || tensor->rank != order.original_rank()) return false;
  return !order.is_blocked() || (tensor->dims() && order.divides(*tensor->dims(), analyzer));
}

std::vector<AxisOrder> preferred_orders(const std::vector<AxisOrder>& now) {
  std::vector<AxisOrder> out;
  for (const AxisOrder& order : now)
    if (std::ranges::find(out, order) == out.end()) out.push_back(order);
  std::ranges::stable_sort(out, [&](const AxisOrder& a, const AxisOrder& b) {
    auto often = std::ranges::count(now, a), seldom = std::ranges::count(now, b);
    return often != seldom ? often > seldom : !a.is_original() && b.is_original();
  });
  return out;
}

}  // namespace sunmao
