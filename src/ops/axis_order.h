// How a tensor's axes are stored: in another order, and cut into blocks. Axes count as the program has them.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "sym/analyzer.h"
#include "sym/index_map.h"

namespace sunmao {

class AxisOrder {
 public:
  /// A stored axis: a whole axis (block 0; of one that is cut, its blocks), or what lies within a block of that size.
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
  /// What one block of an axis holds, 1 where it is not cut.
  int64_t block_of(int axis) const;
  /// Where the axis is stored; its blocks, when it is cut.
  int position(int axis) const;
  /// The same, counting a negative axis from the end; not set when the axis is cut.
  std::optional<int> whole_position(int64_t axis) const;
  /// The order of a tensor that has `count` more axes, all in front and in their order.
  AxisOrder behind(int count) const;
  /// The other way round; not set unless the first `count` axes are in front and in their order.
  std::optional<AxisOrder> without_first(int count) const;
  /// This order where axis i is called `names[i]`; the parts of axes below 0 are gone.
  AxisOrder renamed(const std::vector<int>& names) const;

  std::vector<Scalar> original_sizes(const std::vector<Scalar>& own) const;
  std::vector<Scalar> original_indices(const std::vector<Scalar>& own) const;
  std::vector<Scalar> sizes(const std::vector<Scalar>& original, Analyzer& analyzer) const;
  std::vector<Scalar> indices(const std::vector<Scalar>& original) const;
  /// Whether every axis that is cut is a multiple of its block, whatever the symbols are.
  bool divides(const std::vector<Scalar>& original, Analyzer& analyzer) const;

  /// What `permute_dims` takes to bring a tensor stored so into the order `to`; not set when blocks differ.
  std::optional<std::vector<int64_t>> permutation_to(const AxisOrder& to) const;
  /// The same as a map of indices.
  Ref<IndexMap> map_to(const AxisOrder& to) const;
  bool operator==(const AxisOrder&) const = default;

 private:
  std::vector<Part> parts_;
};

}  // namespace sunmao
