// The result of a function as a tuple that is written out.
#pragma once
#include "ir/expr.h"

namespace sunmao {

struct ResultTuple {
  Ref<Var> var;      // that holds it; null where the function gives the tuple itself
  Ref<Tuple> tuple;  // null where the result is something else
};
ResultTuple find_result_tuple(const Function& f);

}  // namespace sunmao
