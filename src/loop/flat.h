// Conversion between the two forms of scoped definitions (Bind, AllocBuffer, DeclBuffer): the IR nests their scope as a
// body; scripts write them as statements without body, before the statements of their scope. Also renames definitions.
#pragma once
#include "loop/prim_func.h"

namespace sunmao {

/// Converts nested definitions to statements without bodies, followed by their scope; bodies of loops are unchanged.
Stmt flat(const Stmt& s);
/// Inverse of `flat`: nests the statements after a definition in its body. `tail` is the scope of a trailing
/// definition.
Stmt nested(const Stmt& s, const Stmt& tail = {});

/// New names of symbols and buffers, by node.
using NewNames = std::unordered_map<const Node*, std::string>;
/// Returns the statement or function with each symbol and buffer that is a key of `names` renamed to the name given
/// there.
Stmt with_names(const Stmt& s, const NewNames& names);
Ref<PrimFunc> with_names(const PrimFunc& f, const NewNames& names);

}  // namespace sunmao
