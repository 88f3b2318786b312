// Parameters replaced by values.
#pragma once
#include "ir/module.h"

namespace sunmao {

/// `function` without the parameters in `values`, which stand in their places; symbols that the values define become
/// what they are there. Fails (E0518) when a value does not fit its parameter or two values contradict each other.
Ref<Function> bind_params(const Ref<Function>& function, const std::unordered_map<Ref<Var>, Expr>& values);
/// The parameter that a name means: a name of its own in the model's file (`weight_names`, `input_names`), or itself.
std::string param_named(const Function& function, const std::string& name);
/// The same by either name of parameters; E0518 when there is none of a name, or two.
Ref<Function> bind_params(const Ref<Function>& function, const std::map<std::string, Expr>& values);

}  // namespace sunmao
