// Bindings regrouped into blocks.
#pragma once
#include "ir/expr.h"

namespace sunmao {

/// Neighbours of the same kind as one block, empty blocks gone: as a script writes them.
std::vector<Ref<BindingBlock>> merge_blocks(const std::vector<Ref<BindingBlock>>& blocks);

/// The same of one sequence, and in every sequence of a function.
Ref<SeqExpr> with_merged_blocks(const Ref<SeqExpr>& seq);
Ref<Function> with_merged_blocks(const Ref<Function>& function);

Ref<BindingBlock> make_block(std::vector<Binding> bindings, bool is_dataflow, Span span = {});

/// A variable of the same name and type, of the dataflow kind or not.
Ref<Var> as_dataflow(const Ref<Var>& v);
Ref<Var> as_plain(const Ref<Var>& v);

/// A function whose dataflow blocks are plain ones, and their variables plain variables.
Ref<Function> without_dataflow(const Ref<Function>& function);

}  // namespace sunmao
