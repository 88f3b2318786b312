// Analysis: how a loop-level function reads its inputs for each element that it writes, which decides what its calls
// can be fused with.
#pragma once
#include "loop/prim_func.h"

namespace sunmao {

/// From the freest pattern to the most restricted one; the values are those of the attribute `op_pattern`.
enum class OpPattern : uint8_t {
  Elementwise = 0,    // each input at the indices of the output, some broadcast
  Broadcast = 1,      // inputs at some of the output's indices, in order
  Injective = 2,      // inputs at indices computed from those of the output
  Reduction = 3,      // a reduction over whole axes
  OutputFusible = 4,  // a product or a window, whose result can be consumed at once
  Opaque = 8,
};

constexpr const char* kOpPattern = "op_pattern";

/// Returns the most restricted pattern among the function's blocks. A reduction that is followed by a freer block which
/// writes a parameter, as in softmax, is OutputFusible.
OpPattern find_op_pattern(const PrimFunc& func);

}  // namespace sunmao
