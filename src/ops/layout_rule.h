// Layout rules: how a call computes on tensors whose axes are stored in another order. Used by ConvertLayout.
#pragma once
#include "ir/op.h"
#include "ops/axis_order.h"

namespace sunmao {

/// The storage order of a value: of a tensor, or of each field of a tuple. Both members are empty for a tensor of
/// unknown rank and for other values.
struct ValueLayout {
  std::optional<AxisOrder> tensor = {};
  std::vector<ValueLayout> fields = {};  // set for a tuple
  static ValueLayout original(const Type& type);
  static ValueLayout of(AxisOrder order) { return {std::move(order), {}}; }
  bool is_original() const;
  bool operator==(const ValueLayout&) const = default;
};

struct LayoutRequest {
  const Call& call;  // the original call, on tensors in their original order
  /// The storage order of each argument at present. Every tensor has a known rank.
  const std::vector<ValueLayout>& args;
  /// The layouts that the user requests for this op, as texts; empty when there are none.
  const std::vector<std::string>& desired;
  Analyzer& analyzer;

  const TensorType& tensor(size_t i) const;
  const AxisOrder& order(size_t i) const;
  /// True when a tensor of this type can be stored in `order`: the size of every split axis is provably a multiple of
  /// its block.
  bool fits(const AxisOrder& order, const Type& type) const;
};

struct LayoutPlan {
  /// The storage order that each argument must have; arguments that are missing or have no layout stay in original
  /// order.
  std::vector<ValueLayout> args;
  ValueLayout result;
  AttrMap attrs = {};                                  // changed attributes
  std::vector<std::pair<size_t, Expr>> new_args = {};  // changed arguments, by position
  bool follows_desired = false;                        // the requested layouts were considered
};

/// For elementwise ops with broadcasting; all tensors of a result tuple have the same storage order.
std::optional<LayoutPlan> layout_elementwise(const LayoutRequest& r);
/// For convolutions, pools and resizing, whose layouts are attributes.
std::optional<LayoutPlan> layout_convolution(const LayoutRequest& r);
std::optional<LayoutPlan> layout_pool(const LayoutRequest& r);
std::optional<LayoutPlan> layout_resize(const LayoutRequest& r);
/// For ops that work along axes of the first argument, which an attribute names; further arguments keep their original
/// order.
std::optional<LayoutPlan> layout_along_axis(const LayoutRequest& r);
std::optional<LayoutPlan> layout_along_axes(const LayoutRequest& r);
std::optional<LayoutPlan> layout_batch_norm(const LayoutRequest& r);
std::optional<LayoutPlan> layout_channel_norm(const LayoutRequest& r);
std::optional<LayoutPlan> layout_reduction(const LayoutRequest& r);
/// For ops with an `axis` attribute whose tensor arguments all have the same storage order; the rules below are each
/// for the op in their name.
std::optional<LayoutPlan> layout_joint_axis(const LayoutRequest& r);
std::optional<LayoutPlan> layout_scatter_nd(const LayoutRequest& r);
std::optional<LayoutPlan> layout_concat(const LayoutRequest& r);
std::optional<LayoutPlan> layout_stack(const LayoutRequest& r);
std::optional<LayoutPlan> layout_split(const LayoutRequest& r);
std::optional<LayoutPlan> layout_permute_dims(const LayoutRequest& r);
std::optional<LayoutPlan> layout_expand_dims(const LayoutRequest& r);
std::optional<LayoutPlan> layout_squeeze(const LayoutRequest& r);
std::optional<LayoutPlan> layout_strided_slice(const LayoutRequest& r);
std::optional<LayoutPlan> layout_tile(const LayoutRequest& r);
std::optional<LayoutPlan> layout_pad(const LayoutRequest& r);

/// Returns the distinct orders, most frequent first; among equally frequent ones the original order comes last.
std::vector<AxisOrder> preferred_orders(const std::vector<AxisOrder>& now);

}  // namespace sunmao
