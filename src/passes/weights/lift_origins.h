// lift-transform-params: the raw weights that each prepared weight is computed from.
#pragma once
#include "ir/expr.h"

namespace sunmao {

/// Maps each result field of `transform`, a function of one tuple, by name (`names`) to the names (`raw_names`) of the
/// tuple fields that it depends on.
AttrMap find_weight_origins(const Function& transform, const std::vector<std::string>& names,
                            const std::vector<std::string>& raw_names);

}  // namespace sunmao
