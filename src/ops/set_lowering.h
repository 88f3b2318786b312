// Lowerings of ops on sets of elements or rows.
#pragma once
#include "ir/expr.h"

namespace sunmao {

Ref<BaseFunc> lower_nonzero_sized(const Call& call);
Ref<BaseFunc> lower_unique_groups(const Call& call);

}  // namespace sunmao
