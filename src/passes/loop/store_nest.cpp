#include "passes/loop/store_nest.h"

#include <algorithm>

#include "loop/walk.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

/// Counts the accesses to a buffer, by its name or through a view.
class LoadCounter final : public StmtVisitor {
 public:
  explicit LoadCounter(const Buffer& buffer) : buffer_(buffer) {}
  int loads = 0;
  bool is_stored = false;
  void visit(const Stmt& s) override {
    if (const auto* store = find<BufferStore>(s)) is_stored |= is_it(*store->buffer);
    if (const auto* block = find<Block>(s)) {  // access regions duplicate the body
      for (const MatchBufferRegion& m : block->match_buffers)
        if (is_it(*m.source.buffer)) views_.insert(m.buffer.get());
      if (block->init) visit(block->init);
      visit(block->body);
      return;
    }
    visit_parts(s);
  }
  void visit_scalar(const Scalar& s) override {
    for_each_load(s, [&](const BufferLoad& load) { loads += is_it(*load.buffer) ? 1 : 0; });
  }

 private:
  bool is_it(const Buffer& b) const {
    return &b == &buffer_ || (b.data && b.data == buffer_.data) || views_.contains(&b);
  }

  const Buffer& buffer_;
  std::unordered_set<const Buffer*> views_;
};

class AccessFinder final : public StmtVisitor {
 public:
  BufferAccesses found;
  void visit(const Stmt& s) override {
    if (const auto* view = find<DeclBuffer>(s); view && view->buffer->data)
      found.views.insert(view->buffer->data.get());
    if (const auto* store = find<BufferStore>(s)) found.stores.insert(source_of(*store->buffer));
    if (const auto* block = find<Block>(s)) {  // access regions duplicate the body
      for (const MatchBufferRegion& m : block->match_buffers) sources_[m.buffer.get()] = source_of(*m.source.buffer);
      if (block->init) visit(block->init);
      visit(block->body);
      return;
    }
    visit_parts(s);
  }
  void visit_scalar(const Scalar& s) override {
    for_each_load(s, [&](const BufferLoad& load) { ++found.loads[source_of(*load.buffer)]; });
  }

 private:
  const Buffer* source_of(const Buffer& b) const {
    const auto source = sources_.find(&b);
    return source == sources_.end() ? &b : source->second;
  }

  std::unordered_map<const Buffer*, const Buffer*> sources_;  // of views that blocks have
};

// Maps each block iterator to its loop variable; nullopt unless the mapping is a bijection.
std::optional<Substitution> match_iterators(const BlockRealize& realize, const StoreNest& nest) {
  Substitution map;
  std::vector<const Node*> seen;
  const Block& block = *realize.block;
  if (block.iters.size() != nest.loops.size()) return std::nullopt;
  for (size_t i = 0; i < block.iters.size(); ++i) {
    Ref<SymVar> loop = find_ref<SymVar>(realize.values[i]);
    if (!loop || std::ranges::find(nest.loops, loop) == nest.loops.end()) return std::nullopt;
    if (std::ranges::find(seen, loop.get()) != seen.end()) return std::nullopt;
    const int64_t* start = find_int(block.iters[i].domain.min);
    if (!start || *start != 0) return std::nullopt;
    seen.push_back(loop.get());
    map[block.iters[i].var] =
        loop->dtype == block.iters[i].var->dtype ? Scalar(loop) : Cast::make(block.iters[i].var->dtype, loop);
  }
  return map;
}

/// True for an index of 0 along a dimension of one element.
bool is_only_element(const StoreNest& nest, size_t d) {
  const int64_t *index = find_int(nest.indices[d]), *size = find_int(nest.buffer->shape[d]);
  return index && *index == 0 && size && *size == 1;
}

}  // namespace

bool StoreNest::is_spatial() const {
  return std::ranges::all_of(kinds, [](IterKind k) { return k == IterKind::Spatial; });
}

std::optional<StoreNest> read_store_nest(const Stmt& s) {
  StoreNest nest;
  Stmt inner = s;
  while (const auto* loop = find<For>(inner)) {
    const int64_t* start = find_int(loop->min);
    if (loop->for_kind != ForKind::Serial || !start || *start != 0 || !loop->annotations.empty()) return std::nullopt;
    nest.loops.push_back(loop->var);
    nest.extents.push_back(loop->extent);
    inner = loop->body;
  }
  const auto* realize = find<BlockRealize>(inner);
  if (!realize) return std::nullopt;
  const Block& block = *realize->block;
  const auto* store = find<BufferStore>(block.body);
  if (!store || store->predicate || !block.alloc_buffers.empty() || !block.match_buffers.empty()) return std::nullopt;
  const std::optional<Substitution> map = match_iterators(*realize, nest);
  if (!map) return std::nullopt;
  for (const Ref<SymVar>& loop : nest.loops) {
    const auto at = std::ranges::find_if(realize->values, [&](const Scalar& v) { return v.get() == loop.get(); });
    nest.kinds.push_back(block.iters[static_cast<size_t>(at - realize->values.begin())].kind);
  }
  if (std::ranges::any_of(nest.kinds, [](IterKind k) { return k != IterKind::Spatial && k != IterKind::Reduce; }))
    return std::nullopt;
  if (const int64_t* always = find_int(realize->predicate); !always || *always == 0)
    nest.predicate = realize->predicate;
  nest.buffer = store->buffer;
  for (const Scalar& i : store->indices) nest.indices.push_back(substitute(i, *map));
  nest.value = substitute(store->value, *map);
  if (block.init) {
    const auto* init = find<BufferStore>(block.init);
    if (!init || init->buffer != store->buffer) return std::nullopt;
    nest.init = substitute(init->value, *map);
  }
  nest.name = block.name;
  return nest;
}

bool is_own_element(const StoreNest& nest, const Scalar& s) {
  const auto* load = find<BufferLoad>(s);
  return load && load->buffer == nest.buffer &&
         std::ranges::equal(load->indices, nest.indices,
                            [](const Scalar& a, const Scalar& b) { return structural_equal(a, b); });
}

bool covers_buffer(const StoreNest& nest) {
  Analyzer analyzer;
  std::vector<const Node*> seen;
  for (size_t d = 0; d < nest.indices.size(); ++d) {
    if (is_only_element(nest, d)) continue;
    auto at = std::ranges::find_if(nest.loops, [&](const auto& l) { return l.get() == nest.indices[d].get(); });
    if (at == nest.loops.end() || std::ranges::find(seen, at->get()) != seen.end()) return false;
    if (!analyzer.can_prove_equal(nest.extents[static_cast<size_t>(at - nest.loops.begin())], nest.buffer->shape[d]))
      return false;
    seen.push_back(at->get());
  }
  return true;
}

Scalar initial_value(const Stmt& first, const StoreNest& second) {
  const std::optional<StoreNest> fill = read_store_nest(first);
  if (!fill || !fill->is_spatial() || fill->init || fill->predicate || fill->buffer != second.buffer || second.init)
    return nullptr;
  Analyzer analyzer;
  size_t loop = 0;
  for (size_t d = 0; d < fill->indices.size(); ++d) {
    if (is_only_element(*fill, d)) continue;
    if (loop >= fill->loops.size() || fill->indices[d].get() != fill->loops[loop].get() ||
        !analyzer.can_prove_equal(fill->extents[loop], fill->buffer->shape[d]))
      return nullptr;
    ++loop;
  }
  const bool is_constant = find<IntImm>(fill->value) || find<FloatImm>(fill->value);
  return is_constant ? fill->value : nullptr;
}

size_t place_of_reduction(const RootBody& root, size_t first) {
  if (first + 1 == root.stmts.size()) return first;
  const std::optional<StoreNest> next = read_store_nest(root.stmts[first + 1]);
  const bool is_open = next && !next->is_spatial() && !next->init;
  return is_open && covers_buffer(*next) && initial_value(root.stmts[first], *next) ? first + 1 : first;
}

std::optional<RootBody> read_root(const PrimFunc& func) {
  const auto* realize = find<BlockRealize>(func.body);
  if (!realize || !realize->block->iters.empty() || realize->block->init) return std::nullopt;
  const Block& root = *realize->block;
  RootBody body{.stmts = {}, .temps = root.alloc_buffers};
  if (const auto* seq = find<Seq>(root.body))
    body.stmts = seq->stmts;
  else
    body.stmts = {root.body};
  return body;
}

Ref<PrimFunc> with_root(const Ref<PrimFunc>& func, const RootBody& root) {
  const auto* realize = find<BlockRealize>(func->body);
  Block::Parts parts = realize->block->parts();
  parts.body = Seq::make(root.stmts);
  parts.alloc_buffers.clear();
  const BufferAccesses used = buffer_accesses(parts.body);
  for (const Ref<Buffer>& temp : root.temps)
    if (used.loads.contains(temp.get()) || used.stores.contains(temp.get()) || used.views.contains(temp->data.get()))
      parts.alloc_buffers.push_back(temp);
  return func->with_body(
      BlockRealize::make(realize->values, realize->predicate, Block::make(std::move(parts)), realize->span));
}

BufferAccesses buffer_accesses(const Stmt& s) {
  AccessFinder finder;
  finder.visit(s);
  return std::move(finder.found);
}

int count_loads(const Stmt& s, const Buffer& buffer) {
  LoadCounter counter(buffer);
  counter.visit(s);
  return counter.loads;
}

bool stores_to(const Stmt& s, const Buffer& buffer) {
  LoadCounter counter(buffer);
  counter.visit(s);
  return counter.is_stored;
}

bool is_parameter(const PrimFunc& func, const Ref<Buffer>& buffer) {
  return std::ranges::any_of(func.params, [&](const PrimParam& p) { return p.buffer == buffer; });
}

void for_each_load(const Scalar& value, const std::function<void(const BufferLoad&)>& visit) {
  visit_all(value, [&](const Scalar& node) {
    if (const auto* load = find<BufferLoad>(node)) visit(*load);
  });
}

Scalar map_loads(const Scalar& value, const std::function<Scalar(const BufferLoad&)>& map) {
  return rewrite(value, [&](const Scalar& node) -> Scalar {
    const auto* load = find<BufferLoad>(node);
    return load ? map(*load) : Scalar();
  });
}

}  // namespace sunmao
