// How an image of another size is made of an image.
#pragma once
#include "ops/lowering.h"

namespace sunmao {

/// Of `image.resize2d` and `image.resize3d`, by the rules of ONNX's Resize.
Ref<BaseFunc> lower_resize(const Call& call);

}  // namespace sunmao
