// The fields of a function's result, by the variables that hold them.
#pragma once
#include "ir/walk.h"

namespace sunmao {

struct LazyOutputs {
  std::unordered_map<Ref<Var>, std::vector<size_t>> of_vars;  // indices in the result for each variable
  std::vector<std::pair<Expr, size_t>> leaves;                // fields that are not variables, with their indices
  Ref<Var> result;                                            // the variable bound to the result tuple, or null
};

/// Treats a result that is not a tuple as a tuple with one field.
LazyOutputs find_lazy_outputs(const Function& f);

/// Returns the function with a tuple expression in place of any other result of tuple type, so that its fields can be
/// handled separately.
Ref<Function> with_literal_result(const Ref<Function>& f);

}  // namespace sunmao
