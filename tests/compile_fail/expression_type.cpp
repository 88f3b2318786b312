// expect: discards qualifiers
// The type of an expression is determined at construction.
#include "ir/expr.h"

using namespace sunmao;

Type type_of(const Expr& e) { return e->type; }

#ifdef SUNMAO_MUST_NOT_COMPILE
void retype(const Expr& e, Type type) { e->type = std::move(type); }
#endif
