// Replacement of parameter types.
#pragma once
#include <functional>

#include "ir/module.h"

namespace sunmao {

/// Gives each parameter the type that `update` returns (null: unchanged), and infers the dependent types again.
Module update_param_type(const Module& m, const std::function<Type(const Ref<Var>&)>& update);

}  // namespace sunmao
