// Lowering of image resizing.
#pragma once
#include "ops/lowering.h"

namespace sunmao {

/// Lowers `image.resize2d` and `image.resize3d`, with the semantics of ONNX's Resize.
Ref<BaseFunc> lower_resize(const Call& call);

}  // namespace sunmao
