// expect: discards qualifiers
// A non-const module, too, gives only const access to its contents.
#include "ir/module.h"

using namespace sunmao;

Ref<BaseFunc> first(const Module& m) { return m.functions().front().func; }

#ifdef SUNMAO_MUST_NOT_COMPILE
void replace(Module& m, Ref<BaseFunc> f) { m.functions().front().func = std::move(f); }
#endif
