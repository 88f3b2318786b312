// A module that computes the same as another one, with rounding where changes of its inputs do not show.
#pragma once
#include "ir/module.h"

namespace sunmao {

/// Returns a straight module where the weights of normalisations are changed by about the rounding of a few operations,
/// since changes of the data cancel, and where products over axes have another order, since parts of them may overflow.
/// Both depend on `number`.
Module nudged_module(const Module& straight, int number);

}  // namespace sunmao
