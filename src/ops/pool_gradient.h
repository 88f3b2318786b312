// Lowerings of the gradients of max and average pooling with respect to the data.
#pragma once
#include "ir/op.h"

namespace sunmao {

Ref<BaseFunc> lower_max_pool_gradient(const Call& call);
Ref<BaseFunc> lower_avg_pool_gradient(const Call& call);

}  // namespace sunmao
