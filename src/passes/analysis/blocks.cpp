#include "passes/analysis/blocks.h"

#include "ir/walk.h"

namespace sunmao {
namespace {

class BlockMerger final : public Rewriter {
 private:
  using Rewriter::visit;
  Ref<SeqExpr> visit_seq(const Ref<SeqExpr>& seq) override { return with_merged_blocks(Rewriter::visit_seq(seq)); }
};

}  // namespace

Ref<SeqExpr> with_merged_blocks(const Ref<SeqExpr>& seq) {
  std::vector<Ref<BindingBlock>> blocks = merge_blocks(seq->blocks);
  return blocks == seq->blocks ? seq : SeqExpr::make(std::move(blocks), seq->body, seq->span);
}

Ref<Function> with_merged_blocks(const Ref<Function>& function) { return BlockMerger().rewrite(function); }

Ref<BindingBlock> make_block(std::vector<Binding> bindings, bool is_dataflow, Span span) {
  return is_dataflow ? BindingBlock::make_dataflow(std::move(bindings), std::move(span))
                     : BindingBlock::make(std::move(bindings), std::move(span));
}

std::vector<Ref<BindingBlock>> merge_blocks(const std::vector<Ref<BindingBlock>>& blocks) {
  std::vector<Ref<BindingBlock>> filled, out;
  for (const Ref<BindingBlock>& block : blocks)
    if (!block->bindings.empty()) filled.push_back(block);
  for (size_t i = 0; i < filled.size();) {
    size_t end = i + 1;
    while (end < filled.size() && filled[end]->is_dataflow == filled[i]->is_dataflow) ++end;
    if (end == i + 1) {
      out.push_back(filled[i]);
    } else {
      std::vector<Binding> bindings;
      for (size_t k = i; k < end; ++k)
        bindings.insert(bindings.end(), filled[k]->bindings.begin(), filled[k]->bindings.end());
      out.push_back(make_block(std::move(bindings), filled[i]->is_dataflow, filled[i]->span));
    }
    i = end;
  }
  return out;
}

Ref<Var> as_dataflow(const Ref<Var>& v) { return v->is_dataflow ? v : Var::make_dataflow(v->name, v->type, v->span); }
Ref<Var> as_plain(const Ref<Var>& v) { return v->is_dataflow ? Var::make(v->name, v->type, v->span) : v; }

}  // namespace sunmao
