#include "passes/loop/matmul_tile.h"

#include <algorithm>

namespace sunmao {

// Two vectors of columns for each row hide the latency of the FMAs; the rows take what registers are left after those
// two and a broadcast: 12 x 2 accumulators of 32 registers, 6 x 2 of 16.
MatmulTile matmul_tile(const Target& target, DType accumulator) {
  const int lanes = std::max(1, target.lanes(accumulator.bits));
  return {.mr = target.vector_registers >= 32 ? 12 : 6, .nr = 2 * lanes};
}

}  // namespace sunmao
