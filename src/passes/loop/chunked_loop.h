// ChunkedLoop: an outermost loop cut into tasks of a worthwhile size.
#pragma once
#include "passes/loop/loop_writing.h"

namespace sunmao {

/// Elements of one task, and elements below which threads are not woken.
inline constexpr int64_t kChunk = 1 << 14, kWorthThreads = 1 << 16;

/// `s` as an int64.
Scalar as_index(const Scalar& s);
/// An index as a variable of `var`'s type.
Scalar as_type_of(const Ref<SymVar>& var, const Scalar& index);

/// for var in range(extent): body, each step of which handles `step_size` elements.
Stmt chunked_loop(const Ref<SymVar>& var, const Scalar& extent, const Scalar& step_size, const Stmt& body);

}  // namespace sunmao
