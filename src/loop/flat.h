// Two shapes of one sequence. Here a definition (Bind, AllocBuffer, DeclBuffer) owns the statements that it holds for;
// people also write it as a statement without a body, before its neighbours.
#pragma once
#include "loop/prim_func.h"

namespace sunmao {

/// Definitions side by side with what follows them, each without a body. One level: the bodies of loops stay.
Stmt flat(const Stmt& s);
/// The same backwards: a definition without a body holds for what follows it. `tail` is what a last one holds for.
Stmt nested(const Stmt& s, const Stmt& tail = {});

/// Names for symbols and buffers, by their nodes.
using NewNames = std::unordered_map<const Node*, std::string>;
/// The same statement or function in which what `names` lists is called so.
Stmt with_names(const Stmt& s, const NewNames& names);
Ref<PrimFunc> with_names(const PrimFunc& f, const NewNames& names);

}  // namespace sunmao
