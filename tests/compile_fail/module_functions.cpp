// expect: discards qualifiers
// Functions of a module are replaced by making another module.
#include "ir/module.h"

using namespace sunmao;

Module replaced(const Module& m, Ref<BaseFunc> f) { return m.with_function("main", std::move(f)); }

#ifdef SUNMAO_MUST_NOT_COMPILE
void clear(Module& m) { m.functions().clear(); }
#endif
