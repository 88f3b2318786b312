// Functions that build the loops which schedules emit; the loop body is given as a function of the loop variable.
#pragma once
#include <functional>
#include <string>

#include "loop/stmt.h"

namespace sunmao {

using LoopBody = std::function<Stmt(const Scalar&)>;

/// Return `for name in range(extent): body(name)` with an int64 loop variable, as a serial, an unrolled or a vectorized
/// loop. For a constant extent of 1, a serial or unrolled loop is replaced by its body.
Stmt serial_loop(const std::string& name, const Scalar& extent, const LoopBody& body);
Stmt unrolled_loop(const std::string& name, int64_t extent, const LoopBody& body);
Stmt vector_loop(const std::string& name, int64_t lanes, const LoopBody& body);
/// A loop whose iterations run on threads if `worth_it` holds at run time, and sequentially otherwise.
Stmt parallel_loop(const std::string& name, const Scalar& extent, const Scalar& worth_it, const LoopBody& body);
/// Emits the body with a name for what is computed once, unless that is a constant.
Stmt named(const std::string& name, Scalar value, const LoopBody& body);

inline bool is_zero(const Scalar& s) {
  const int64_t* n = find_int(s);
  return n && *n == 0;
}
/// True for the number 0 of any type.
bool is_zero_number(const Scalar& s);
Scalar ceil_div(const Scalar& a, int64_t b);
Scalar compare(BinaryOp op, const Scalar& a, const Scalar& b);
/// Return a + b, a - b and a * b; operands that are 0, 1 or constants are folded, which keeps printed code short.
Scalar sum(const Scalar& a, const Scalar& b);
Scalar difference(const Scalar& a, const Scalar& b);
Scalar product(const Scalar& a, const Scalar& b);

}  // namespace sunmao
