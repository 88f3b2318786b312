// expect: in read-only object
// The fields of a node are const, and its handle gives const access only.
#include "ir/expr.h"

using namespace sunmao;

bool is_local(const Ref<Var>& var) { return var->is_dataflow; }

#ifdef SUNMAO_MUST_NOT_COMPILE
void make_local(Ref<Var>& var) { var->is_dataflow = true; }
#endif
