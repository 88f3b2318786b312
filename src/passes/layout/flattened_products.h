// Products of flattened images and weights: the order of an image's dimensions is a matter of the weight's rows.
#pragma once
#include <unordered_set>

#include "ir/walk.h"

namespace sunmao {

/// Returns the variables of reshapes (n, a, b, ...) to (n, a * b * ...) of known sizes which only products read, as
/// their left operands, with weights on the right.
std::unordered_set<Ref<Var>> flattened_for_products(const Function& f);

/// Lets such a reshape read a tensor as it lies before a permute_dims, and permutes the rows of the weights.
Ref<Function> permute_flattened_weights(const Ref<Function>& f);

}  // namespace sunmao
