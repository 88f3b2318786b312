// Lowering of image resizing.
#pragma once
#include "ops/lowering.h"

namespace sunmao {

/// Returns the kernel of a call of `image.resize2d` or `image.resize3d`.
Ref<BaseFunc> lower_resize(const Call& call);

}  // namespace sunmao
