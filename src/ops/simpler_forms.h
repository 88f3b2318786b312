// Decomposition of calls into simpler ops where the result depends on the purpose of the program: norms in training and
// in inference.
#pragma once
#include <functional>

#include "ir/op.h"

namespace sunmao {

enum class Purpose : uint8_t { Inference, Training };

/// Binds a value to a new variable and returns the variable.
using EmitFn = std::function<Expr(Expr value)>;

/// Returns the call as simpler ops, with intermediate values emitted; the call itself when there is no simpler form for
/// the purpose. For inference these are batch norms, as arithmetic on the moving averages. In training a batch norm
/// becomes one in inference form with the batch's statistics, and updated moving averages; a layer norm over the last
/// axes becomes arithmetic.
Expr simpler_form(const Ref<Call>& call, Purpose purpose, const EmitFn& emit);

/// Returns the vector `x` expanded to `rank` axes, with its elements along axis `kept`.
Expr along_axis(const Expr& x, int kept, int rank);
/// Returns a constant of rank 0; for dtypes other than float32 and float64 a cast of one.
Expr number_constant(double value, DType dtype);

}  // namespace sunmao
