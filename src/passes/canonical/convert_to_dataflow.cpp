// The pass `convert-to-dataflow`: groups runs of pure bindings into dataflow blocks. A run adjacent to a dataflow block
// joins it, whatever its length.
#include "ir/walk.h"
#include "passes/analysis/blocks.h"
#include "passes/analysis/purity.h"
#include "passes/pass_arguments.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

class Converter final : public Rewriter {
 public:
  Converter(const Module& module, size_t min_size) : query_{.own_name = {}, .module = &module}, min_size_(min_size) {}

 private:
  using Rewriter::visit;

  struct Run {
    std::vector<Binding> bindings;
    bool pure = false, has_block = false;
  };

  bool is_pure(const Binding& b) const {
    if (find<If>(b.value) || find<SeqExpr>(b.value)) return false;
    return find<Function>(b.value) || !contains_impure_call(b.value, query_);
  }

  std::vector<Run> runs_of(const SeqExpr& seq) const {
    std::vector<Run> runs;
    for (const Ref<BindingBlock>& block : seq.blocks)
      for (const Binding& b : block->bindings) {
        bool pure = block->is_dataflow || is_pure(b);
        if (runs.empty() || runs.back().pure != pure) runs.push_back({{}, pure, false});
        runs.back().bindings.push_back(b);
        runs.back().has_block |= block->is_dataflow;
      }
    return runs;
  }

  Ref<SeqExpr> visit_seq(const Ref<SeqExpr>& seq) override {
    Ref<SeqExpr> visited = Rewriter::visit_seq(seq);
    std::vector<Ref<BindingBlock>> blocks;
    for (Run& run : runs_of(*visited)) {
      bool dataflow = run.pure && (run.has_block || run.bindings.size() >= min_size_);
      blocks.push_back(make_block(std::move(run.bindings), dataflow));
    }
    blocks = merge_blocks(blocks);
    return same_shape(blocks, visited->blocks) ? visited : SeqExpr::make(std::move(blocks), visited->body, seq->span);
  }

  static bool same_shape(const std::vector<Ref<BindingBlock>>& a, const std::vector<Ref<BindingBlock>>& b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
      if (a[i]->is_dataflow != b[i]->is_dataflow || a[i]->bindings.size() != b[i]->bindings.size()) return false;
    return true;
  }

  const ImpureCallQuery query_;
  const size_t min_size_;
};

}  // namespace

Module convert_to_dataflow(const Module& m, const PassContext& ctx) {
  int64_t min_size = PassArguments("convert-to-dataflow", ctx).int_("min_size");
  size_t least = min_size < 1 ? 1 : static_cast<size_t>(min_size);
  Module converted = map_functions(m, [&](const Ref<Function>& f) { return Converter(m, least).rewrite(f); });
  // Canonicalization turns variables that are used only in their new block into dataflow variables.
  return canonicalize_bindings(converted, ctx);
}

}  // namespace sunmao
