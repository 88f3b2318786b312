// Loop writing: how schedules write loop nests: a loop from a lambda over its variable. It decides nothing.
#pragma once
#include <functional>
#include <string>

#include "loop/stmt.h"

namespace sunmao {

using LoopBody = std::function<Stmt(const Scalar&)>;

/// for name in range(extent): body(name), of int64. A loop of one step is that step.
Stmt serial_loop(const std::string& name, const Scalar& extent, const LoopBody& body);
Stmt unrolled_loop(const std::string& name, int64_t extent, const LoopBody& body);
Stmt vector_loop(const std::string& name, int64_t lanes, const LoopBody& body);
/// Its steps run on threads where `worth_it` holds, else in place.
Stmt parallel_loop(const std::string& name, const Scalar& extent, const Scalar& worth_it, const LoopBody& body);

Scalar ceil_div(const Scalar& a, int64_t b);
Scalar compare(BinaryOp op, const Scalar& a, const Scalar& b);
/// a + b and a * b with the cases of 0 and 1 and of two literals done at once, to keep what people read short.
Scalar sum(const Scalar& a, const Scalar& b);
Scalar product(const Scalar& a, const Scalar& b);

}  // namespace sunmao
