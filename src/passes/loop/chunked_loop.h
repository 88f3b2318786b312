// chunked_loop: splits an outermost loop into tasks that are large enough to run on threads.
#pragma once
#include <span>

#include "passes/loop/loop_writing.h"
#include "sym/walk.h"

namespace sunmao {

/// The number of elements per task, and the minimum number of elements in the loop for which waking threads pays.
inline constexpr int64_t kChunk = 1 << 14, kWorthThreads = 1 << 16;

/// Casts `s` to int64.
Scalar as_index(const Scalar& s);
/// Casts an index to the dtype of `var`.
Scalar as_type_of(const Ref<SymVar>& var, const Scalar& index);

/// Puts the loop variables of nested loops, outermost first, in terms of the number of their iterations as one loop.
void split_number(const Scalar& number, std::span<const Ref<SymVar>> loops, std::span<const Scalar> extents,
                  Substitution& at);

/// Emits `for var in range(extent): body` as a parallel loop over chunks of about kChunk elements. Each iteration
/// processes `step_size` elements; when that is large or not constant, a chunk is one iteration. The loop runs on
/// threads only when it processes at least kWorthThreads elements.
Stmt chunked_loop(const Ref<SymVar>& var, const Scalar& extent, const Scalar& step_size, const Stmt& body);

}  // namespace sunmao
