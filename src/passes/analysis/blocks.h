// Construction and merging of binding blocks.
#pragma once
#include "ir/expr.h"

namespace sunmao {

/// Merges adjacent blocks of the same kind (plain or dataflow) and drops empty blocks.
std::vector<Ref<BindingBlock>> merge_blocks(const std::vector<Ref<BindingBlock>>& blocks);

/// Apply `merge_blocks` to one sequence, and to every sequence of a function.
Ref<SeqExpr> with_merged_blocks(const Ref<SeqExpr>& seq);
Ref<Function> with_merged_blocks(const Ref<Function>& function);

Ref<BindingBlock> make_block(std::vector<Binding> bindings, bool is_dataflow, Span span = {});

/// Return a new variable with the same name and type that is (not) a dataflow variable; `v` itself if it already is
/// (not) one.
Ref<Var> as_dataflow(const Ref<Var>& v);
Ref<Var> as_plain(const Ref<Var>& v);

/// Returns the function with dataflow blocks turned into plain blocks and dataflow variables into plain variables.
Ref<Function> without_dataflow(const Ref<Function>& function);

}  // namespace sunmao
