// Long reductions to few results in two steps, of which threads take parts of the first.
#pragma once
#include "passes/schedule/row/reduction.h"

namespace sunmao {

struct ReductionParts {
  Reduction partial;   // the results of equal parts of a reduced loop, in a buffer whose first dimension is the part
  Reduction combined;  // of the parts
};

/// Returns the parts of a long reduction that has too few results for threads to share; nullopt for others. How many
/// parts there are does not depend on threads, nor do results.
std::optional<ReductionParts> parts_of(const Reduction& r);

}  // namespace sunmao
