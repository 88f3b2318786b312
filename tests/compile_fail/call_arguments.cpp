// expect: discards qualifiers
// The arguments of a call are fixed at construction.
#include "ir/expr.h"

using namespace sunmao;

size_t count(const Ref<Call>& call) { return call->args.size(); }
Ref<Call> replaced(const Ref<Call>& call, std::vector<Expr> args) { return call->with_args(std::move(args)); }

#ifdef SUNMAO_MUST_NOT_COMPILE
void append(const Ref<Call>& call, Expr arg) { call->args.push_back(std::move(arg)); }
#endif
