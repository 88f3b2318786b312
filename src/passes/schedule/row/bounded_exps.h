// Exponentials whose arguments are known to be at most 0, as those of a softmax.
#pragma once
#include "passes/schedule/row/rows.h"
#include "target/target.h"

namespace sunmao {

/// Returns the group with `exp(a - top)` as `exp_at_most_one(a - top)`, where `top` is the maximum of all `a` of the
/// row. Where one instruction scales by powers of two it would gain nothing, and the group comes back as it is.
RowGroup with_bounded_exps(RowGroup group, const Target& target);

}  // namespace sunmao
