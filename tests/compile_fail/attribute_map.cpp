// expect: discards qualifiers
// Attributes are an immutable map: `with` returns a changed copy.
#include "ir/attrs.h"

using namespace sunmao;

Attrs with_axis(const Attrs& attrs) { return attrs.with("axis", 1); }

#ifdef SUNMAO_MUST_NOT_COMPILE
void set_axis(Attrs& attrs) { attrs.values().insert_or_assign("axis", AttrValue(1)); }
#endif
