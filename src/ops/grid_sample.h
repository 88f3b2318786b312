// Lowering of image.grid_sample.
#pragma once
#include "ir/op.h"

namespace sunmao {

Ref<BaseFunc> lower_grid_sample(const Call& call);

}  // namespace sunmao
