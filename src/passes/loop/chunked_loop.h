// chunked_loop: an outermost loop split into tasks that are large enough to run on threads.
#pragma once
#include "passes/loop/loop_writing.h"

namespace sunmao {

/// Elements per task, and minimum number of elements in the loop for which threads are woken.
inline constexpr int64_t kChunk = 1 << 14, kWorthThreads = 1 << 16;

/// Casts `s` to int64.
Scalar as_index(const Scalar& s);
/// Casts an index to the dtype of `var`.
Scalar as_type_of(const Ref<SymVar>& var, const Scalar& index);

/// Writes `for var in range(extent): body` as a parallel loop over chunks of about kChunk elements, where an iteration
/// processes `step_size` elements; a chunk is one iteration if `step_size` is not constant, or large. The loop runs on
/// threads when it processes kWorthThreads elements at least.
Stmt chunked_loop(const Ref<SymVar>& var, const Scalar& extent, const Scalar& step_size, const Stmt& body);

}  // namespace sunmao
