// IndexMap: a map of indices such as `lambda i, j: (j // 16, i, j % 16)`, for layouts.
#pragma once
#include "sym/scalar.h"

namespace sunmao {

struct IndexMap final : Node {
  const std::vector<Ref<SymVar>> inputs;
  const std::vector<Scalar> outputs;
  static Ref<IndexMap> make(std::vector<Ref<SymVar>> inputs, std::vector<Scalar> outputs);
  /// The outputs for these inputs, simplified.
  std::vector<Scalar> apply(std::span<const Scalar> indices) const;
  /// The extents of the smallest target box that holds every image of a source box of these extents.
  std::vector<Scalar> map_shape(std::span<const Scalar> extents) const;

 private:
  IndexMap(std::vector<Ref<SymVar>> i, std::vector<Scalar> o) : inputs(std::move(i)), outputs(std::move(o)) {}
};

}  // namespace sunmao
