// Parameters given other types.
#pragma once
#include <functional>

#include "ir/module.h"

namespace sunmao {

/// Parameters with the types that `update` gives, null for those that stay; everything that follows from them is
/// inferred anew.
Module update_param_type(const Module& m, const std::function<Type(const Ref<Var>&)>& update);

}  // namespace sunmao
