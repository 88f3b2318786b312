// Conversion of function parameters to the fields of one tuple parameter, and back.
#pragma once
#include "ir/expr.h"

namespace sunmao {

inline constexpr const char* kBundledParamsName = "model_params";

/// Replaces the parameters from index `inputs` on by one tuple parameter, whose fields are read at their uses under the
/// parameters' names. Scalars are read at the start of the body. Tensors with a scalar as dimension are cast at their
/// uses, because the tuple's type cannot express that.
Ref<Function> bundle_params(const Ref<Function>& function, size_t inputs, const std::string& tuple_name);

/// Returns a fresh copy of a function of one tuple with one parameter per field, named `names`; drops resets of fields.
Ref<Function> unbundle_params(const Ref<Function>& function, const std::vector<std::string>& names);

}  // namespace sunmao
