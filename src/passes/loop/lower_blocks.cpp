#include "passes/loop/lower_blocks.h"

#include <algorithm>

#include "loop/walk.h"
#include "passes/loop/kernel_forms.h"
#include "passes/passes.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

bool is_true(const Scalar& s) {
  const int64_t* value = find_int(s);
  return value && *value != 0;
}

Stmt guarded(const Scalar& condition, Stmt body) {
  return is_true(condition) ? body : IfThenElse::make(condition, std::move(body));
}

/// Replaces accesses to views (`match_buffers`) by accesses to the underlying buffers.
class ViewRemover final : public StmtRewriter {
 public:
  explicit ViewRemover(const std::vector<MatchBufferRegion>& views) : views_(views) {}
  Stmt visit(const Stmt& s) override {
    Stmt out = StmtRewriter::visit(s);
    const auto* store = find<BufferStore>(out);
    const MatchBufferRegion* view = store ? find_view(store->buffer) : nullptr;
    return view ? store->with_parts(view->source.buffer, store->value, source_indices(*view, store->indices)) : out;
  }
  Scalar visit_scalar(const Scalar& s) override {
    if (!s) return s;
    return rewrite(s, [&](const Scalar& node) -> Scalar {
      const auto* load = find<BufferLoad>(node);
      const MatchBufferRegion* view = load ? find_view(load->buffer) : nullptr;
      return view ? load->with_place(view->source.buffer, source_indices(*view, load->indices)) : Scalar();
    });
  }

 private:
  const MatchBufferRegion* find_view(const Ref<Buffer>& b) const {
    for (const MatchBufferRegion& v : views_)
      if (v.buffer == b) return &v;
    return nullptr;
  }
  // Returns the indices of an element of a view in the underlying buffer. A view may omit leading dimensions of extent
  // 1.
  static std::vector<Scalar> source_indices(const MatchBufferRegion& view, const std::vector<Scalar>& indices) {
    const size_t skipped = view.source.region.size() - indices.size();
    std::vector<Scalar> out;
    for (size_t d = 0; d < view.source.region.size(); ++d)
      out.push_back(d < skipped ? view.source.region[d].min : view.source.region[d].min + indices[d - skipped]);
    return out;
  }
  const std::vector<MatchBufferRegion>& views_;
};

class BlockLowerer final : public StmtRewriter {
 public:
  Stmt visit(const Stmt& s) override {
    if (find<For>(s)) {
      if (Stmt nest = lower_reduction_nest(s)) return nest;
    }
    if (const auto* realize = find<BlockRealize>(s)) return lower_realize(*realize);
    return StmtRewriter::visit(s);
  }

 private:
  static Substitution bindings(const BlockRealize& realize) {
    Substitution map;
    for (size_t i = 0; i < realize.values.size(); ++i) {
      const Ref<SymVar>& var = realize.block->iters[i].var;
      const Scalar& value = realize.values[i];
      map[var] = value->dtype == var->dtype ? value : Cast::make(var->dtype, value);
    }
    return map;
  }

  Stmt lower_body(const Block& block, const Substitution& map) {
    Stmt body = block.match_buffers.empty() ? block.body : ViewRemover(block.match_buffers).visit(block.body);
    body = visit(substitute(body, map));
    for (size_t i = block.alloc_buffers.size(); i-- > 0;) body = AllocBuffer::make(block.alloc_buffers[i], body);
    return body;
  }

  // The general form of a block with init: the init statement is guarded by the condition that all reduction iterators
  // have their start values.
  Stmt lower_realize(const BlockRealize& realize) {
    const Block& block = *realize.block;
    const Substitution map = bindings(realize);
    Stmt body = lower_body(block, map);
    if (block.init) {
      Scalar at_start = IntImm::make(DType::bool_(), 1);
      for (size_t i = 0; i < block.iters.size(); ++i) {
        if (block.iters[i].kind == IterKind::Spatial) continue;
        Scalar here = Binary::make(BinaryOp::Eq, realize.values[i], block.iters[i].domain.min);
        at_start = is_true(at_start) ? here : Binary::make(BinaryOp::And, at_start, here);
      }
      body = Seq::make({guarded(at_start, visit(substitute(block.init, map))), body});
    }
    return guarded(realize.predicate, body);
  }

  // Lowers a perfect loop nest around a block with init: the init statement gets a loop nest of its own before the
  // outermost reduction loop, so that it also runs when the reduction is empty. Returns null when the statement has
  // another form.
  Stmt lower_reduction_nest(const Stmt& s) {
    std::vector<const For*> loops;
    Stmt inner = s;
    for (; find<For>(inner); inner = find<For>(inner)->body) loops.push_back(find<For>(inner));
    const auto* realize = find<BlockRealize>(inner);
    if (!realize || !realize->block->init) return nullptr;
    const Block& block = *realize->block;
    Substitution starts;  // maps reduction loop variables to their start values
    std::vector<bool> reduces(loops.size());
    for (size_t i = 0; i < block.iters.size(); ++i) {
      if (block.iters[i].kind == IterKind::Spatial) continue;
      auto at = std::ranges::find_if(loops, [&](const For* l) { return l->var.get() == realize->values[i].get(); });
      if (at == loops.end()) return nullptr;
      reduces[static_cast<size_t>(at - loops.begin())] = true;
      starts[(*at)->var] = (*at)->min;
    }
    const auto first = static_cast<size_t>(std::ranges::find(reduces, true) - reduces.begin());
    if (first == loops.size()) return nullptr;
    for (size_t i = 0; i < block.iters.size(); ++i)
      if (block.iters[i].kind == IterKind::Spatial && uses_any(realize->values[i], starts)) return nullptr;
    Stmt init = guarded(substitute(realize->predicate, starts), visit(substitute(block.init, bindings(*realize))));
    for (size_t i = loops.size(); i-- > first;)
      if (!reduces[i]) init = loops[i]->with_body(init);
    Stmt update = guarded(realize->predicate, lower_body(block, bindings(*realize)));
    for (size_t i = loops.size(); i-- > first;) update = loops[i]->with_body(update);
    Stmt out = Seq::make({with_fresh_names(init), update});
    for (size_t i = first; i-- > 0;) out = loops[i]->with_body(out);
    return out;
  }

  static bool uses_any(const Scalar& value, const Substitution& vars) {
    return std::ranges::any_of(vars, [&](const auto& entry) { return uses(value, *entry.first); });
  }
};

}  // namespace

Ref<PrimFunc> lower_blocks(const Ref<PrimFunc>& func, const Target&) {
  return func->with_body(BlockLowerer().visit(func->body));
}

Module lower_blocks(const Module& m, const PassContext& ctx) {
  return map_forms(m, ctx, [](const Ref<PrimFunc>& f, const Target& target) { return lower_blocks(f, target); });
}

}  // namespace sunmao
