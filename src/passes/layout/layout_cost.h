// The cost model of layouts: what an op takes with its channels where the program has them and with its channels last,
// and what a transpose takes. The unit is a step: a core multiplies and adds eight float32 once, with operands in its
// cache. docs/adr/0049-layout-by-cost.md has the measurements that the constants are fitted to.
#pragma once
#include <vector>

#include "ops/axis_order.h"
#include "passes/analysis/size_bounds.h"

namespace sunmao {

/// A dimension that only a run knows counts as this many elements, or as its upper bound if that is less. The first
/// dimension, the batch, counts as one.
inline constexpr int64_t kAssumedSize = 224;

/// The sizes of tensors as integers.
class AssumedSizes {
 public:
  explicit AssumedSizes(const Function& function) : bounds_(function) {}
  /// Returns the dimensions of a tensor; a tensor of unknown shape has `kAssumedSize` for each.
  std::vector<int64_t> of(const TensorType& type);
  /// True when a dimension other than a batch was assumed so far.
  bool has_assumed() const { return has_assumed_; }

 private:
  int64_t of(const Scalar& size);
  SizeBounds bounds_;
  Analyzer analyzer_;
  bool has_assumed_ = false;
};

struct LayoutCosts {
  int64_t first = 0;  // steps with the channels as the program has them, before the spatial dimensions
  int64_t last = 0;   // steps with the channels last
};

/// Returns the costs of a convolution, a pool or a resizing whose program has its channels first; both are 0 for
/// another call, for which the order of dimensions matters little.
LayoutCosts layout_costs(const Call& call, AssumedSizes& sizes);

/// Returns the steps of a transpose of a tensor of this type from one order to another; 0 when no elements move.
int64_t transpose_cost(const TensorType& type, const AxisOrder& from, const AxisOrder& to, AssumedSizes& sizes);

/// True for a convolution that copies its input into a padded one, which may read it in any order.
bool copies_its_input(const Call& call);

}  // namespace sunmao
