// Algebraic rules for ops that move elements without changing them (permutations, reshapes, broadcasts), and for
// reductions over axes of size 1.
#include <algorithm>

#include "ops/algebra/rule.h"
#include "ops/permutation.h"

namespace sunmao {
namespace {

constexpr std::string_view kReshapes[]{"reshape", "expand_dims", "squeeze", "flatten", "nn.batch_flatten"};
// The most chained reshapes that are searched for an input with the final shape.
constexpr int kLongestChain = 8;

Expr permute_in_place(const RuleInput& in) {
  const auto order = permutation_of(in.call);
  return order && std::ranges::is_sorted(*order) ? in.arg(0) : nullptr;
}
Expr permute_of_permute(const RuleInput& in) {
  const Call* inner = in.call_of(in.arg(0), "permute_dims");
  const auto outer_order = permutation_of(in.call), inner_order = inner ? permutation_of(*inner) : std::nullopt;
  if (!outer_order || !inner_order) return nullptr;
  std::vector<int64_t> order;
  for (int64_t a : *outer_order) order.push_back((*inner_order)[static_cast<size_t>(a)]);
  if (std::ranges::is_sorted(order)) return inner->args[0];
  return in.make("permute_dims", {inner->args[0]}, {{"axes", AttrValue::ints(order)}});
}
Expr permute_of_ones(const RuleInput& in) {
  const auto order = permutation_of(in.call);
  const auto *from = tensor_dims(in.arg(0)), *to = tensor_dims(Expr(&in.call));
  if (!order || !from || !to) return nullptr;
  std::vector<int64_t> moved;
  for (int64_t a : *order)
    if (!in.is_one((*from)[static_cast<size_t>(a)])) moved.push_back(a);
  return std::ranges::is_sorted(moved) ? in.reshaped(in.arg(0), *to) : nullptr;
}

// All ops in `kReshapes` keep the row-major order of elements, so equal dimensions mean an equal tensor.
Expr reshape_back(const RuleInput& in) {
  const auto* to = tensor_dims(Expr(&in.call));
  if (!to) return nullptr;
  const Call* at = &in.call;
  for (int i = 0; at && i < kLongestChain; ++i) {
    const auto* from = tensor_dims(at->args[0]);
    if (from && in.same_dims(*from, *to)) return at->args[0];
    at = in.call_of_any(at->args[0], kReshapes);
  }
  return nullptr;
}
Expr reshape_of_reshape(const RuleInput& in) {
  const Call* inner = in.call_of_any(in.arg(0), kReshapes);
  const auto* to = tensor_dims(Expr(&in.call));
  return inner && to ? in.reshaped(inner->args[0], *to) : nullptr;
}

Expr to_own_shape(const RuleInput& in) {
  const auto *from = tensor_dims(in.arg(0)), *to = tensor_dims(Expr(&in.call));
  return from && to && in.same_dims(*from, *to) ? in.arg(0) : nullptr;
}
// The merged broadcast accepts what both accept; where the intermediate dimension is 1, it also accepts an input
// dimension that equals the target's.
Expr broadcast_of_broadcast(const RuleInput& in) {
  const Call* inner = in.call_of(in.arg(0), "broadcast_to");
  return inner ? in.on({inner->args[0], in.arg(1)}) : nullptr;
}

// Returns the axes that a reduction call reduces, counted from the front.
std::optional<std::vector<int64_t>> reduced_axes(const Call& call, int rank) {
  const AttrValue* given = call.attrs.find("axis");
  if (!given || given->is_none()) {
    std::vector<int64_t> all;
    for (int i = 0; i < rank; ++i) all.push_back(i);
    return all;
  }
  std::optional<std::vector<int64_t>> axes = given->as_ints();
  if (axes)
    for (int64_t& a : *axes) a = a < 0 ? a + rank : a;
  return axes;
}

// A sum starts from 0, which turns -0 into 0, so a float sum over one element is not the identity.
Expr collapse_to_own(const RuleInput& in) { return is_integer(in.arg(0)) ? to_own_shape(in) : nullptr; }
Expr reduce_one(const RuleInput& in) {
  const auto *from = tensor_dims(in.arg(0)), *to = tensor_dims(Expr(&in.call));
  if (!from || !to || (op_of(in.call)->name() == "sum" && !is_integer(in.arg(0)))) return nullptr;
  const auto axes = reduced_axes(in.call, static_cast<int>(from->size()));
  if (!axes || !std::ranges::all_of(*axes, [&](int64_t a) { return in.is_one((*from)[static_cast<size_t>(a)]); }))
    return nullptr;
  return in.same_dims(*from, *to) ? in.arg(0) : in.reshaped(in.arg(0), *to);
}

}  // namespace

void add_shape_rules(RuleTable& rules) {
  rules.insert(
      rules.end(),
      {{"permute-in-place", "a permutation that moves no axis is none", {"permute_dims"}, permute_in_place},
       {"permute-of-permute", "two permutations are one", {"permute_dims"}, permute_of_permute},
       {"permute-of-ones", "where axes of size 1 alone move, it is a reshape", {"permute_dims"}, permute_of_ones},
       {"reshape-back",
        "a reshape to a shape that the tensor had before its reshapes is that tensor",
        {"reshape", "expand_dims", "squeeze", "flatten", "nn.batch_flatten"},
        reshape_back},
       {"reshape-of-reshape", "a reshape of a reshape is one", {"reshape"}, reshape_of_reshape},
       {"broadcast-to-own", "a broadcast to the shape at hand is none", {"broadcast_to"}, to_own_shape},
       {"broadcast-of-broadcast", "two broadcasts are one", {"broadcast_to"}, broadcast_of_broadcast},
       {"collapse-to-own",
        "a sum over nothing is none, of integers",
        {"collapse_sum_to", "collapse_sum_like"},
        collapse_to_own},
       {"reduce-one",
        "the extreme or product of one element is that element; the sum of one integer too",
        {"max", "min", "prod", "sum"},
        reduce_one}});
}

}  // namespace sunmao
