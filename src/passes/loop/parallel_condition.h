// The annotation `T.attr(None, "parallel_if", condition)` of a parallel loop: when the condition is false at run time,
// the loop is too small for threads and runs sequentially.
#pragma once

namespace sunmao {

inline constexpr const char* kParallelIf = "parallel_if";

}  // namespace sunmao
