// Loops of which a contraction's operands use quotients and remainders.
#pragma once
#include "passes/schedule/contraction/contraction.h"

namespace sunmao {

/// Returns the number by which all uses of a loop in the operands are divided, as quotients and remainders; 0 when
/// there is none.
int64_t common_divisor(const std::vector<Scalar>& operands, const Ref<SymVar>& loop);

/// Splits loops of which the operands use quotients and remainders, as in transposed convolutions whose kernel is as
/// large as their stride: the loop of the remainders comes behind that of the quotients.
void split_loops(Contraction& c);

/// Finds out whether one operand depends on the quotient of the columns alone, as in convolutions of groups, and makes
/// it the left one.
std::optional<Groups> take_groups(Contraction& c, size_t column);

/// Makes the groups a loop, and the columns of one group the columns. Returns the loop of these.
size_t split_groups(Contraction& c, size_t column, const Groups& groups);

/// True when groups are so narrow that several fill a vector, and a vector of the left operand holds what they read.
bool are_lanes(const Contraction& c, size_t column, const Groups& groups);

}  // namespace sunmao
