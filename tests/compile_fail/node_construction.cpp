// expect: is private within this context
// Nodes are constructed by `make` only, which checks their invariants.
#include "ir/expr.h"

using namespace sunmao;

Ref<Var> make(const Type& type) { return Var::make("x", type); }

#ifdef SUNMAO_MUST_NOT_COMPILE
Var half_built(const Type& type) { return Var("x", false, type, {}); }
#endif
