#include "passes/loop/matmul_tile.h"

#include <algorithm>

namespace sunmao {

// Two column vectors per row hide the FMA latency. The number of rows is bounded by the registers that remain beside
// two column vectors and a broadcast element: 12 x 2 accumulators with 32 registers, 6 x 2 with 16.
MatmulTile matmul_tile(const Target& target, DType accumulator) {
  const int lanes = std::max(1, target.lanes(accumulator.bits));
  return {.mr = target.vector_registers >= 32 ? 12 : 6, .nr = 2 * lanes};
}

}  // namespace sunmao
