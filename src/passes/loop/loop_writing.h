// Constructors for the loops that schedules emit; the body is a function of the loop variable.
#pragma once
#include <functional>
#include <string>

#include "loop/stmt.h"

namespace sunmao {

using LoopBody = std::function<Stmt(const Scalar&)>;

/// Return `for name in range(extent): body(name)` with an int64 variable, as a serial, an unrolled or a vectorized
/// loop. A serial or unrolled loop of constant extent 1 is just its body.
Stmt serial_loop(const std::string& name, const Scalar& extent, const LoopBody& body);
Stmt unrolled_loop(const std::string& name, int64_t extent, const LoopBody& body);
Stmt vector_loop(const std::string& name, int64_t lanes, const LoopBody& body);
/// A loop whose iterations run on threads if `worth_it` holds at run time, and sequentially otherwise.
Stmt parallel_loop(const std::string& name, const Scalar& extent, const Scalar& worth_it, const LoopBody& body);

Scalar ceil_div(const Scalar& a, int64_t b);
Scalar compare(BinaryOp op, const Scalar& a, const Scalar& b);
/// Build a + b and a * b, folding 0, 1 and two constants, which keeps printed code short.
Scalar sum(const Scalar& a, const Scalar& b);
Scalar product(const Scalar& a, const Scalar& b);

}  // namespace sunmao
