// The register tile of matrix products on a target. It determines how weights are packed and how the kernels are tiled.
#pragma once
#include "support/dtype.h"
#include "support/target.h"

namespace sunmao {

/// A register tile of mr x nr accumulators. Weights are packed in panels of nr columns, as a tensor of shape (ceil(n /
/// nr), k, nr).
struct MatmulTile {
  int mr = 1;
  int nr = 1;
};

MatmulTile matmul_tile(const Target& target, DType accumulator);

}  // namespace sunmao
