// How a call computes on tensors whose axes are stored in another order: what is asked of a record, and the answer.
#pragma once
#include "ir/op.h"
#include "ops/axis_order.h"

namespace sunmao {

/// How the tensors of a value are stored. A tensor of unknown rank, and what is no tensor, has neither.
struct ValueLayout {
  std::optional<AxisOrder> tensor = {};
  std::vector<ValueLayout> fields = {};  // of a tuple
  static ValueLayout original(const Type& type);
  static ValueLayout of(AxisOrder order) { return {std::move(order), {}}; }
  bool is_original() const;
  bool operator==(const ValueLayout&) const = default;
};

struct LayoutRequest {
  const Call& call;  // as the program has it, on tensors in their original order
  /// How each argument is stored now. Every tensor has a known rank.
  const std::vector<ValueLayout>& args;
  /// What the user wants of this op, as texts; empty when nothing.
  const std::vector<std::string>& desired;
  Analyzer& analyzer;

  const TensorType& tensor(size_t i) const;
  const AxisOrder& order(size_t i) const;
  /// Whether a tensor of this type can be stored so: what is cut is known to be a multiple of its blocks.
  bool fits(const AxisOrder& order, const Type& type) const;
};

struct LayoutPlan {
  /// How each argument has to be stored; those that are missing, or have no layout, in their original order.
  std::vector<ValueLayout> args;
  ValueLayout result;
  AttrMap attrs = {};                                  // those that change
  std::vector<std::pair<size_t, Expr>> new_args = {};  // arguments that change, by their places
  bool follows_desired = false;                        // what the user wants has been looked at
};

/// Elementwise with broadcasting; a tuple as result holds tensors that are stored alike.
std::optional<LayoutPlan> layout_elementwise(const LayoutRequest& r);
/// Convolutions, pools and resizing: layouts stand in attributes.
std::optional<LayoutPlan> layout_convolution(const LayoutRequest& r);
std::optional<LayoutPlan> layout_pool(const LayoutRequest& r);
std::optional<LayoutPlan> layout_resize(const LayoutRequest& r);
/// `axis`, or `axes`, along which the first argument is worked on; further arguments stay.
std::optional<LayoutPlan> layout_along_axis(const LayoutRequest& r);
std::optional<LayoutPlan> layout_along_axes(const LayoutRequest& r);
std::optional<LayoutPlan> layout_batch_norm(const LayoutRequest& r);
std::optional<LayoutPlan> layout_channel_norm(const LayoutRequest& r);
std::optional<LayoutPlan> layout_reduction(const LayoutRequest& r);
/// `axis` of several tensors that are stored alike.
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

/// What most of several tensors have, of equals the one that is not the original order; the original order comes last.
std::vector<AxisOrder> preferred_orders(const std::vector<AxisOrder>& now);

}  // namespace sunmao
