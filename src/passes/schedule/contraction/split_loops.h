// Splitting of loops whose quotients and remainders index a contraction's operands.
#pragma once
#include "passes/schedule/contraction/contraction.h"

namespace sunmao {

/// Returns the number by which all uses of a loop in the operands are divided, as quotients and remainders; 0 when
/// there is none.
int64_t common_divisor(const std::vector<Scalar>& operands, const Ref<SymVar>& loop);

/// Splits loops whose quotients and remainders index the operands, as in transposed convolutions whose kernel is as
/// large as their stride. The loop over remainders is the inner one.
void split_loops(Contraction& c);

/// Returns the groups where one operand depends on the columns by their quotient alone, as in grouped convolutions, and
/// makes that operand the left one; nullopt elsewhere.
std::optional<Groups> take_groups(Contraction& c, size_t column);

/// Splits the column loop into an outer loop over groups and the columns of one group. Returns the latter.
size_t split_groups(Contraction& c, size_t column, const Groups& groups);

/// True when groups are so narrow that several fill a vector, and a vector of the left operand holds what they read.
bool are_lanes(const Contraction& c, size_t column, const Groups& groups);

}  // namespace sunmao
