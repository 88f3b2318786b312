// Relations between sizes that type inference of a call assumes without proof, and have to be checked at run time.
#pragma once
#include "ir/op.h"

namespace sunmao {

/// Returns the undecided relations of a call; empty when there are none, the callee is no op or the call has no type.
std::vector<SizeDemand> size_demands(const Call& call);

/// A call with arguments cast to types that state the required sizes: `x` of (n, k) as (n, 16) if `y` has 16 rows.
struct AgreedCall {
  struct Cast {
    Expr from;
    Ref<Var> to;  // replaces `from` in the call; its type is that of the cast
  };
  std::vector<Cast> casts;
  Ref<Call> call;
  std::vector<SizeDemand> rest;  // relations that argument types cannot express: divisibility, products, bounds
};
using MakeVar = Ref<Var> (*)(std::string name, Type type, Span span);
/// Casts arguments of the call such that its undecided relations hold, as far as casts can state them. Returns the call
/// itself, without casts, when nothing is undecided.
AgreedCall agree_on_sizes(const Ref<Call>& call, MakeVar make_var = &Var::make);

}  // namespace sunmao
