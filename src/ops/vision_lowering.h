// How the ops on boxes compute: loops that run in order.
#pragma once
#include "ir/op.h"

namespace sunmao {

Ref<BaseFunc> lower_roi_align(const Call& call);
Ref<BaseFunc> lower_roi_pool(const Call& call);
Ref<BaseFunc> lower_multibox(const Call& call);
Ref<BaseFunc> lower_valid_counts(const Call& call);
Ref<BaseFunc> lower_suppression(const Call& call);
/// Null when a limit is neither a tensor nor a number.
Ref<BaseFunc> lower_all_class_suppression(const Call& call);

}  // namespace sunmao
