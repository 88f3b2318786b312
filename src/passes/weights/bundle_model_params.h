// Parameters of a function as the fields of one tuple, and the other way round.
#pragma once
#include "ir/expr.h"

namespace sunmao {

inline constexpr const char* kBundledParamsName = "model_params";

/// The parameters behind `inputs` become one tuple, read where its fields are used, each under the parameter's name. A
/// scalar is read first of all; what has it as a dimension is cast to that where it is used, for no type of a tuple
/// says so.
Ref<Function> bundle_params(const Ref<Function>& function, size_t inputs, const std::string& tuple_name);

/// A fresh copy of a function of one tuple that takes its fields instead, under `names`, and empties none of them.
Ref<Function> unbundle_params(const Ref<Function>& function, const std::vector<std::string>& names);

}  // namespace sunmao
