// Relations between sizes that inference of a call takes for granted because it cannot decide them, and the call
// written with them: what a run has to check.
#pragma once
#include "ir/op.h"

namespace sunmao {

/// What inference of a call leaves to the run; empty where everything is decided, and for what is no op.
std::vector<SizeDemand> size_demands(const Call& call);

/// A call on arguments whose types say the sizes that they must have: `x` of (n, k) as (n, 16) where `y` has 16 rows.
struct AgreedCall {
  struct Cast {
    Expr from;
    Ref<Var> to;  // stands for `from` in the call, which must fit its type
  };
  std::vector<Cast> casts;
  Ref<Call> call;
  std::vector<SizeDemand> rest;  // what no type of an argument can say: divisibility, products, bounds
};
using MakeVar = Ref<Var> (*)(std::string name, Type type, Span span);
/// The very call, without casts, where nothing is demanded.
AgreedCall agree_on_sizes(const Ref<Call>& call, MakeVar make_var = &Var::make);

}  // namespace sunmao
