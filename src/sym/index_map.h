// IndexMap: a mapping of indices, such as `lambda i, j: (j // 16, i, j % 16)`, that describes a layout.
#pragma once
#include "sym/scalar.h"

namespace sunmao {

struct IndexMap final : Node {
  const std::vector<Ref<SymVar>> inputs;
  const std::vector<Scalar> outputs;
  static Ref<IndexMap> make(std::vector<Ref<SymVar>> inputs, std::vector<Scalar> outputs);
  /// Returns the simplified outputs for the given inputs.
  std::vector<Scalar> apply(std::span<const Scalar> indices) const;
  /// Returns the extents of a box, not always the smallest, that contains the images of all indices below `extents`.
  /// Outputs must not decrease in any input, except by remainders.
  std::vector<Scalar> map_shape(std::span<const Scalar> extents) const;

 private:
  IndexMap(std::vector<Ref<SymVar>> i, std::vector<Scalar> o) : inputs(std::move(i)), outputs(std::move(o)) {}
};

}  // namespace sunmao
