// Calls in simpler ops, where what they mean depends on what the program is for: norms that follow the moving averages
// or the batch, and shapes that only a run knows.
#pragma once
#include <functional>

#include "ir/op.h"

namespace sunmao {

enum class Purpose : uint8_t { Inference, Training };

/// Makes a variable of a step of a computation.
using EmitFn = std::function<Expr(Expr value)>;

/// The call by simpler ops, its steps emitted one by one; the call itself where it has no simpler form for the purpose.
/// A batch norm for training gives what is one for inference with the batch's own statistics, and new averages.
Expr simpler_form(const Ref<Call>& call, Purpose purpose, const EmitFn& emit);

/// `x` with axes of size 1 put in wherever `kept`, an axis of `rank`, is not.
Expr along_axis(const Expr& x, int kept, int rank);
/// A constant of rank 0.
Expr number_constant(double value, DType dtype);

}  // namespace sunmao
