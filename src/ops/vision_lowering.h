// Lowerings of ops on boxes and regions of interest.
#pragma once
#include "ir/op.h"

namespace sunmao {

Ref<BaseFunc> lower_roi_align(const Call& call);
Ref<BaseFunc> lower_roi_pool(const Call& call);
Ref<BaseFunc> lower_multibox(const Call& call);
Ref<BaseFunc> lower_valid_counts(const Call& call);
Ref<BaseFunc> lower_suppression(const Call& call);
/// Lowers vision.all_class_non_max_suppression; null when one of its limits is neither a tensor nor a constant.
Ref<BaseFunc> lower_all_class_suppression(const Call& call);

}  // namespace sunmao
