// The tuple expression that a function returns.
#pragma once
#include "ir/expr.h"

namespace sunmao {

struct ResultTuple {
  Ref<Var> var;      // the variable bound to the tuple; null when the body's result is the tuple expression itself
  Ref<Tuple> tuple;  // null when the result is not a tuple expression
};
ResultTuple find_result_tuple(const Function& f);

}  // namespace sunmao
