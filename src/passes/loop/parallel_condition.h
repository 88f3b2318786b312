// The remark `T.attr(None, "parallel_if", condition)` on a parallel loop: where the condition does not hold, the loop
// is too small to be worth waking threads, and its steps run in place.
#pragma once

namespace sunmao {

inline constexpr const char* kParallelIf = "parallel_if";

}  // namespace sunmao
