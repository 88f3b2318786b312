// The register tile of matrix products on a target, which determines how weights are packed and kernels are scheduled.
#pragma once
#include "support/dtype.h"
#include "support/target.h"

namespace sunmao {

/// A tile of mr rows by nr columns of accumulators. Weights are packed in panels of `nr` columns: (ceil(n / nr), k,
/// nr).
struct MatmulTile {
  int mr = 1;
  int nr = 1;
};

MatmulTile matmul_tile(const Target& target, DType accumulator);

}  // namespace sunmao
