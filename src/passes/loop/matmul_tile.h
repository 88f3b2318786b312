// The register tile of matrix products on a target: what weights are packed for, and what kernels are written for.
#pragma once
#include "support/dtype.h"
#include "support/target.h"

namespace sunmao {

/// mr rows by nr columns of accumulators. Weights are packed in panels of `nr` columns: (ceil(n / nr), k, nr).
struct MatmulTile {
  int mr = 1;
  int nr = 1;
};

MatmulTile matmul_tile(const Target& target, DType accumulator);

}  // namespace sunmao
