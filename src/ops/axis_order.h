// Storage order of a tensor's axes: permuted and optionally split into blocks. Axis numbers refer to the original
// order, that of the program before layout conversion.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "sym/analyzer.h"
#include "sym/index_map.h"

namespace sunmao {

class AxisOrder {
 public:
  /// A stored axis: with `block` 0 a whole axis, or the outer (block) axis of a split one; otherwise the inner axis of
  /// a split one, whose size is `block`.
  struct Part {
    int axis;
    int64_t block = 0;
    bool operator==(const Part&) const = default;
  };
  explicit AxisOrder(std::vector<Part> parts) : parts_(std::move(parts)) {}
  static AxisOrder original(int rank);

  const std::vector<Part>& parts() const { return parts_; }
  int rank() const { return static_cast<int>(parts_.size()); }
  int original_rank() const;
  bool is_blocked() const;
  bool is_original() const;
  /// Returns the block size of an axis, 1 when it is not split.
  int64_t block_of(int axis) const;
  /// Returns the position at which the axis is stored; of a split axis, the position of its outer part.
  int position(int axis) const;
  /// Returns the position of an axis that may be negative (counted from the end); absent when the axis is split.
  std::optional<int> whole_position(int64_t axis) const;
  /// Returns the order of a tensor with `count` additional leading axes, which are stored first and unpermuted.
  AxisOrder behind(int count) const;
  /// Returns the order without the first `count` axes; absent unless these are stored first, unpermuted and not split.
  std::optional<AxisOrder> without_first(int count) const;
  /// Returns this order with axis i renumbered to `names[i]`; parts of axes with a negative name are dropped.
  AxisOrder renamed(const std::vector<int>& names) const;

  std::vector<Scalar> original_sizes(const std::vector<Scalar>& own) const;
  std::vector<Scalar> original_indices(const std::vector<Scalar>& own) const;
  std::vector<Scalar> sizes(const std::vector<Scalar>& original, Analyzer& analyzer) const;
  std::vector<Scalar> indices(const std::vector<Scalar>& original) const;
  /// True when the size of every split axis is provably a multiple of its block.
  bool divides(const std::vector<Scalar>& original, Analyzer& analyzer) const;

  /// Returns the `permute_dims` axes that convert a tensor from this order to `to`; absent when their blocks differ.
  std::optional<std::vector<int64_t>> permutation_to(const AxisOrder& to) const;
  /// Returns the index map that converts a tensor from this order to `to`.
  Ref<IndexMap> map_to(const AxisOrder& to) const;
  bool operator==(const AxisOrder&) const = default;

 private:
  std::vector<Part> parts_;
};

}  // namespace sunmao
