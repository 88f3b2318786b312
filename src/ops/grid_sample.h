// How image.grid_sample computes.
#pragma once
#include "ir/op.h"

namespace sunmao {

Ref<BaseFunc> lower_grid_sample(const Call& call);

}  // namespace sunmao
