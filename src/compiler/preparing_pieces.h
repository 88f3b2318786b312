// Pieces of weight preparation: a weight transform in parts, each of which prepares weights that have no work in
// common with others, so that one weight after another can be prepared.
#pragma once
#include "compiler/preparation.h"

namespace sunmao {

/// Returns steps that do together what `step` does, each with the weights alone that it reads: one for each set of
/// results that are computed from a common value. Work that reads no weight is repeated where it is used. Returns
/// `step` itself where its tuple is used as a whole, sizes are symbols, or casts state them.
std::vector<PreparingStep> split_step(const PreparingStep& step);

/// Replaces the steps of a plan by their pieces; of pieces that are equal, one is left, and its results are bound in
/// place of the other's.
void split_steps(Preparation& plan);

}  // namespace sunmao
