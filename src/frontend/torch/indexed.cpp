#include "frontend/torch/indexed.h"

#include <algorithm>

#include "eval/element.h"
#include "frontend/shapes.h"
#include "frontend/torch/selected.h"

namespace sunmao::torch {
namespace {

bool is_mask(const Expr& index) {
  const DType t = dtype_of(index);
  return t.is_bool() || t == DType::uint(8);
}

/// Returns the indices of a mask's true elements, a vector for each axis of the mask; `count` is their number where
/// only a run knows it.
std::vector<Expr> places_in(const NodeContext& n, const Expr& mask, const Scalar& count) {
  const std::optional<Array> data = n.builder.data(mask);
  if (!data) return places_by_axis(n, mask, count ? count : size_of_data(n));
  std::vector<std::vector<int64_t>> places(data->shape().size());
  for (int64_t i = 0; i < data->count(); ++i) {
    if (load_element(*data, i).i == 0) continue;
    int64_t rest = i;
    for (size_t axis = places.size(); axis-- > 0; rest /= data->shape()[axis])
      places[axis].push_back(rest % data->shape()[axis]);
  }
  std::vector<Expr> out;
  for (const std::vector<int64_t>& p : places) out.push_back(ints_constant(p, n.span));
  return out;
}

}  // namespace

Indexed indexed(const NodeContext& n, const Expr& data, const Scalar& count) {
  Indexed out;
  const int64_t rank = n.rank(data);
  std::vector<int64_t> selected;
  int64_t axis = 0;
  for (const Expr& index : n.optional_tensors("indices")) {
    if (!index) {
      ++axis;
      continue;
    }
    const std::vector<Expr> places = is_mask(index) ? places_in(n, index, count) : std::vector{index};
    for (const Expr& place : places) {
      selected.push_back(axis++);
      out.indices.push_back(place);
      out.index_rank = std::max<int64_t>(out.index_rank, n.rank(place));
    }
  }
  if (axis > rank) n.malformed("indices");
  if (selected.empty()) return out;
  out.first_axis = selected.front();
  out.is_together = selected.back() - selected.front() + 1 == static_cast<int64_t>(selected.size());
  out.order = selected;
  for (int64_t i = 0; i < rank; ++i)
    if (std::ranges::find(selected, i) == selected.end()) out.order.push_back(i);
  return out;
}

Expr only_mask(const NodeContext& n) {
  const std::vector<Expr> indices = n.optional_tensors("indices");
  if (indices.empty() || !indices[0] || !dtype_of(indices[0]).is_bool()) return nullptr;
  return std::ranges::all_of(indices.begin() + 1, indices.end(), [](const Expr& e) { return !e; }) ? indices[0]
                                                                                                   : Expr();
}

std::vector<int64_t> result_order(const Indexed& x, int64_t data_rank) {
  const int64_t rest = data_rank - static_cast<int64_t>(x.indices.size()), before = x.is_together ? x.first_axis : 0;
  std::vector<int64_t> order;
  for (int64_t i = 0; i < before; ++i) order.push_back(x.index_rank + i);
  for (int64_t i = 0; i < x.index_rank; ++i) order.push_back(i);
  for (int64_t i = before; i < rest; ++i) order.push_back(x.index_rank + i);
  return order;
}

std::vector<int64_t> inverse(const std::vector<int64_t>& order) {
  std::vector<int64_t> out(order.size());
  for (size_t i = 0; i < order.size(); ++i) out[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return out;
}

}  // namespace sunmao::torch
