// Which raw weights a prepared one is made of.
#pragma once
#include "ir/expr.h"

namespace sunmao {

/// For each field of the result of `transform`, a function of one tuple, by its name in `names`: which fields of the
/// tuple it is made of, by theirs in `raw_names`.
AttrMap find_weight_origins(const Function& transform, const std::vector<std::string>& names,
                            const std::vector<std::string>& raw_names);

}  // namespace sunmao
