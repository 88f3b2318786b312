// expect: is private within this context
// Nodes come from `make` alone, which checks what must hold.
#include "ir/expr.h"

using namespace sunmao;

Ref<Var> make(const Type& type) { return Var::make("x", type); }

#ifdef SUNMAO_MUST_NOT_COMPILE
Var half_built(const Type& type) { return Var("x", false, type, {}); }
#endif
