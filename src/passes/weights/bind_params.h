// The pass `bind-params` on a single function: replaces parameters by values.
#pragma once
#include "ir/module.h"

namespace sunmao {

/// Returns `function` with the parameters in `values` replaced, and symbols that the values' types determine
/// substituted. Fails (E0518) when a value does not fit its parameter or two values contradict each other.
Ref<Function> bind_params(const Ref<Function>& function, const std::unordered_map<Ref<Var>, Expr>& values);
/// Returns the parameter that `name` denotes: a name from the model's file (ir/source_names.h), or `name`
/// itself.
std::string param_named(const Function& function, const std::string& name);
/// Binds the parameters that the keys of `values` denote (`param_named`); fails (E0518) when a name denotes no
/// parameter or several, or two names the same one.
Ref<Function> bind_params(const Ref<Function>& function, const std::map<std::string, Expr>& values);

}  // namespace sunmao
