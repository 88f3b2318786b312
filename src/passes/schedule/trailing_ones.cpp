#include "passes/schedule/trailing_ones.h"

#include <algorithm>
#include <unordered_set>

#include "loop/calls.h"
#include "loop/walk.h"
#include "passes/loop/buffer_views.h"
#include "passes/loop/store_nest.h"

namespace sunmao {
namespace {

bool is_one(const Scalar& s) {
  const int64_t* n = find_int(s);
  return n && *n == 1;
}

/// Returns the number of dimensions before the last ones of one element; all of them where nothing else is left.
size_t rank_without_ones(const Buffer& b) {
  size_t rank = b.shape.size();
  while (rank > 0 && is_one(b.shape[rank - 1])) --rank;
  return rank == 0 || !b.is_dense() || b.elem_offset || !b.axis_separators.empty() ? b.shape.size() : rank;
}

/// Drops the last dimensions of buffers, and spatial loops and iterators of one iteration.
class Narrower final : public StmtRewriter {
 public:
  Narrower(const BufferMap& narrow, const RootBody& root) : narrow_(narrow) {
    for (const Stmt& s : root.stmts) {
      const StoreNest nest = *read_store_nest(s);
      for (size_t i = 0; i < nest.loops.size(); ++i)
        if (nest.kinds[i] == IterKind::Spatial && is_one(nest.extents[i])) dropped_.insert(nest.loops[i]);
    }
  }

  Stmt visit(const Stmt& s) override {
    if (const auto* loop = find<For>(s); loop && dropped_.contains(loop->var)) {
      values_[loop->var] = IntImm::make(loop->var->dtype, 0);
      return visit(loop->body);
    }
    if (const auto* store = find<BufferStore>(s))
      return BufferStore::make(visit_buffer(store->buffer), visit_scalar(store->value),
                               narrow_indices(store->buffer, store->indices), store->span);
    const auto* realize = find<BlockRealize>(s);
    return realize ? narrow_block(*realize) : StmtRewriter::visit(s);
  }

  Scalar visit_scalar(const Scalar& s) override {
    if (!s) return s;
    return substitute(rewrite(s,
                              [&](const Scalar& node) -> Scalar {
                                const auto* l = find<BufferLoad>(node);
                                if (!l || !narrow_.contains(l->buffer)) return nullptr;
                                return l->with_place(visit_buffer(l->buffer), first_of(l->buffer, l->indices));
                              }),
                      values_);
  }

 private:
  Ref<Buffer> visit_buffer(const Ref<Buffer>& b) override {
    const auto known = narrow_.find(b);
    return known == narrow_.end() ? b : known->second;
  }

  std::vector<Scalar> first_of(const Ref<Buffer>& b, std::vector<Scalar> indices) {
    indices.resize(visit_buffer(b)->shape.size());
    return indices;
  }

  std::vector<Scalar> narrow_indices(const Ref<Buffer>& b, const std::vector<Scalar>& indices) {
    std::vector<Scalar> out = first_of(b, indices);
    for (Scalar& i : out) i = visit_scalar(i);
    return out;
  }

  Stmt narrow_block(const BlockRealize& realize) {
    Block::Parts parts = realize.block->parts();
    std::vector<IterVar> iters;
    std::vector<Scalar> values;
    for (size_t i = 0; i < parts.iters.size(); ++i) {
      if (dropped_.contains(find_ref<SymVar>(realize.values[i]))) {
        values_[parts.iters[i].var] = IntImm::make(parts.iters[i].var->dtype, 0);
        continue;
      }
      iters.push_back(parts.iters[i]);
      values.push_back(visit_scalar(realize.values[i]));
    }
    parts.iters = std::move(iters);
    for (std::vector<BufferRegion>* regions : {&parts.reads, &parts.writes})
      for (BufferRegion& r : *regions) {
        r.region.resize(std::min(r.region.size(), visit_buffer(r.buffer)->shape.size()));
        r = visit_region(r);
      }
    for (Ref<Buffer>& b : parts.alloc_buffers) b = visit_buffer(b);
    if (parts.init) parts.init = visit(parts.init);
    parts.body = visit(parts.body);
    return BlockRealize::make(std::move(values), visit_scalar(realize.predicate), Block::make(std::move(parts)),
                              realize.span);
  }

  const BufferMap& narrow_;
  std::unordered_set<Ref<SymVar>> dropped_;  // loops
  Substitution values_;
};

/// Returns the buffers that have last dimensions of one element, and the same without them.
BufferMap narrow_buffers(const PrimFunc& func, const RootBody& root) {
  BufferMap out;
  const auto add = [&](const Ref<Buffer>& b) {
    const size_t rank = rank_without_ones(*b);
    if (rank == b->shape.size()) return;
    std::vector<Scalar> shape(b->shape.begin(), b->shape.begin() + static_cast<std::ptrdiff_t>(rank));
    out[b] = Buffer::make(b->name, b->dtype, std::move(shape), {.scope = b->scope, .align = b->align, .data = b->data});
  };
  for (const PrimParam& p : func.params)
    if (p.buffer) add(p.buffer);
  for (const Ref<Buffer>& temp : root.temps) add(temp);
  // An index of such a dimension that a run may refuse stays.
  for (const Stmt& s : root.stmts)
    if (const std::optional<StoreNest> nest = read_store_nest(s))
      for_each_load(nest->value, [&](const BufferLoad& l) {
        const size_t rank = rank_without_ones(*l.buffer);
        for (size_t d = rank; d < l.indices.size(); ++d)
          if (checks_indices(l.indices[d])) out.erase(l.buffer);
      });
  return out;
}

}  // namespace

Ref<PrimFunc> without_trailing_ones(const Ref<PrimFunc>& func) {
  std::optional<RootBody> root = read_root(*func);
  if (!root || narrow_buffers(*func, *root).empty() ||
      !std::ranges::all_of(root->stmts, [](const Stmt& s) { return read_store_nest(s).has_value(); }))
    return func;
  const Ref<PrimFunc> named = with_data_names(func);
  root = read_root(*named);
  const BufferMap narrow = narrow_buffers(*named, *root);
  std::vector<PrimParam> params = named->params;
  for (PrimParam& p : params)
    if (const auto known = narrow.find(p.buffer); known != narrow.end()) p.buffer = known->second;
  return PrimFunc::make(std::move(params), Narrower(narrow, *root).visit(named->body), named->attrs, named->result_type,
                        named->span);
}

Ref<PrimFunc> with_trailing_ones(const Ref<PrimFunc>& narrow, const Ref<PrimFunc>& func) {
  const auto* realize = find<BlockRealize>(narrow->body);
  Block::Parts parts = realize->block->parts();
  std::vector<PrimParam> params = narrow->params;
  BufferViews views;
  for (size_t i = 0; i < params.size(); ++i) {
    const Ref<Buffer> whole = func->params[i].buffer, used = params[i].buffer;
    if (!whole || whole->shape.size() == used->shape.size()) continue;
    params[i].buffer =
        Buffer::make(whole->name, whole->dtype, whole->shape,
                     {.scope = whole->scope, .align = whole->align, .data = used->data, .span = whole->span});
    parts.body = substitute(parts.body, {}, {{used, views.of(params[i].buffer, used->shape)}});
  }
  parts.body = views.declare(parts.body);
  const Stmt body = BlockRealize::make(realize->values, realize->predicate, Block::make(std::move(parts)));
  return PrimFunc::make(std::move(params), body, narrow->attrs, narrow->result_type, narrow->span);
}

}  // namespace sunmao
