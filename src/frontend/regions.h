// Regions of images: what the converters of RoiAlign in both front ends share.
#pragma once
#include "frontend/model_builder.h"

namespace sunmao {

/// Returns regions half an element of the image nearer to its corner: R.vision.roi_align takes element i to lie at i,
/// others at i + 1/2. `scale` is from the coordinates of regions to those of the image. Rows of five numbers begin with
/// that of the image, which stays.
Expr moved_by_half(ModelBuilder& builder, const Expr& regions, double scale, size_t numbers, const Span& span);

}  // namespace sunmao
