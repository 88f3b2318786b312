// expect: cast-qual
// A cast that drops const is an error in this build.
#include "ir/expr.h"

using namespace sunmao;

const Var* address(const Ref<Var>& var) { return &*var; }

#ifdef SUNMAO_MUST_NOT_COMPILE
Var* writable(const Ref<Var>& var) { return (Var*)&*var; }
#endif
