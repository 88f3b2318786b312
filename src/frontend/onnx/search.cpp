// Converters that look for elements: ArgMax, ArgMin, TopK, NonZero, Unique.
#include <algorithm>
#include <utility>

#include "frontend/onnx/compose.h"

namespace sunmao::onnx {
namespace {

/// The last of equal elements is the first from the end.
template <const char* op>
Results place_of_extreme(const NodeContext& n) {
  const int64_t axis = axis_of(n, n.int_attr("axis", 0), n.rank(0));
  const AttrMap attrs{{"axis", axis}, {"keepdims", n.int_attr("keepdims", 1) != 0}};
  if (n.int_attr("select_last_index", 0) == 0) return n.call(op, {n.tensor(0)}, attrs);
  const Expr from_end = n.call(op, {n.call("flip", {n.tensor(0)}, {{"axis", axis}})}, attrs);
  const Scalar last = n.builder.simplify(n.dims(0).at(static_cast<size_t>(axis)) - int_imm(1));
  return binary(n, "subtract", tensor_of(n.builder, {last}, false, n.span), from_end);
}

/// A count that is symbolic takes the first of all, in order.
Results first_in_order(const NodeContext& n, const Scalar& count) {
  const int64_t axis = axis_of(n, n.int_attr("axis", -1), n.rank(0));
  const int64_t* number = find_int(count);
  if (number && *number < 0) n.fail(fmt::format("`k` cannot be {}", *number));
  const Scalar& size = n.dims(0).at(static_cast<size_t>(axis));
  if (number && find_int(size) && *number > *find_int(size))
    n.fail(fmt::format("`k` is {} along an axis of {}", *number, *find_int(size)), "it is at most the axis's size");
  n.builder.require_at_most(count, size, n.span);
  const bool takes_all = !number || *number == 0;
  const Expr both = n.call("topk", {n.tensor(0)},
                           {{"k", takes_all ? int64_t{0} : *number},
                            {"axis", axis},
                            {"largest", n.int_attr("largest", 1) != 0},
                            {"dtype", DType::int_(64)}});
  Results fields = n.fields(both, 2);
  if (takes_all)
    for (Expr& field : fields.values)
      field = sliced(n.builder, field, {{.axis = axis, .begin = int_imm(0), .end = count}}, n.span);
  return fields;
}

Results top_k_by_attribute(const NodeContext& n) { return first_in_order(n, int_imm(n.int_attr("k", 1))); }

Results top_k(const NodeContext& n) {
  const std::vector<Scalar> count = n.sizes(1);
  if (count.size() != 1) n.fail(fmt::format("`k` holds {} numbers, expected one", count.size()));
  return first_in_order(n, count[0]);
}

Results non_zero(const NodeContext& n) { return places_of_nonzero(n, n.tensor(0)); }

/// The library gives the outputs that are asked for, without gaps. All but the way back are as long as there are
/// different elements.
Results unique(const NodeContext& n) {
  AttrMap attrs{{"sorted", n.int_attr("sorted", 1) != 0}};
  const bool is_flat = !n.has_attr("axis");
  std::vector<Scalar> dims = is_flat ? std::vector{product(n.builder, n.dims(0))} : n.dims(0);
  const auto axis = static_cast<size_t>(is_flat ? 0 : axis_of(n, n.int_attr("axis", 0), n.rank(0)));
  if (!is_flat) attrs["axis"] = static_cast<int64_t>(axis);
  constexpr const char* kOutputs[] = {"return_index", "return_inverse", "return_counts"};
  const size_t count = std::clamp<size_t>(n.node.outputs.size(), 1, std::size(kOutputs) + 1);
  for (size_t i = 1; i < count; ++i) attrs[kOutputs[i - 1]] = true;
  const Expr found = n.builder.call("unique", {n.tensor(0)}, std::move(attrs), n.span);
  const Scalar different = n.builder.new_size(std::string(n.node.outputs[0]) + "_count");
  const Scalar all = std::exchange(dims[axis], different);
  return Results(n.builder.sized_results(found, "unique", {std::move(dims), {different}, {all}, {different}}));
}

constexpr char kArgMax[] = "argmax", kArgMin[] = "argmin";

}  // namespace

std::vector<Converter> search_converters() {
  return {{"ArgMax", 1, place_of_extreme<kArgMax>, "`R.argmax`; the last of equals by `R.flip`, `R.subtract`"},
          {"ArgMin", 1, place_of_extreme<kArgMin>, "`R.argmin`; the last of equals by `R.flip`, `R.subtract`"},
          {"TopK", 1, top_k_by_attribute, "`R.topk`"},
          {"TopK", 10, top_k, "`R.topk`; a symbolic count by `R.strided_slice`"},
          {"NonZero", 9, non_zero, "`R.nonzero`"},
          {"Unique", 11, unique, "`R.unique`"}};
}

}  // namespace sunmao::onnx
