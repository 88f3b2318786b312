// Types that say less, because symbols that they name are not known where they stand.
#pragma once
#include <unordered_set>

#include "ir/type.h"

namespace sunmao {

/// The type without the dimensions and values that need any of `symbols`; the same pointer when none does.
Type erase_symbols(const Type& type, const std::unordered_set<Ref<SymVar>>& symbols);

}  // namespace sunmao
