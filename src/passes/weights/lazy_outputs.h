// The fields of a function's result, each where it is known.
#pragma once
#include "ir/walk.h"

namespace sunmao {

struct LazyOutputs {
  std::unordered_map<Ref<Var>, std::vector<size_t>> of_vars;  // the places of each variable in the result
  std::vector<std::pair<Expr, size_t>> leaves;                // what has no variable, and its place
  Ref<Var> result;                                            // what is bound to the tuple of them, or null
};

/// A result that is no tuple counts as a tuple of one.
LazyOutputs find_lazy_outputs(const Function& f);

/// A result that is a tuple is written out, so that each field can go on its own.
Ref<Function> with_literal_result(const Ref<Function>& f);

}  // namespace sunmao
