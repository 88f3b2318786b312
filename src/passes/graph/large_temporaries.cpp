#include "passes/graph/large_temporaries.h"

#include <algorithm>

#include "loop/walk.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

constexpr int64_t kLargestOnStack = 64 << 10;  // bytes of one temporary

class LargeTemporaries final : public StmtVisitor {
 public:
  bool found = false;
  using StmtVisitor::visit;

  void visit(const Stmt& s) override {
    if (const auto* alloc = find<AllocBuffer>(s)) found |= !fits_stack(*alloc->buffer);
    if (const auto* realize = find<BlockRealize>(s))
      found |= !std::ranges::all_of(realize->block->alloc_buffers, [](const Ref<Buffer>& b) { return fits_stack(*b); });
    visit_parts(s);
  }
};

// What names a buffer other than by an element: its memory, a view, a region of a block inside.
class NamedOtherwise final : public StmtVisitor {
 public:
  explicit NamedOtherwise(const Buffer& buffer) : buffer_(buffer) {}
  bool found = false;
  using StmtVisitor::visit;

  void visit(const Stmt& s) override {
    if (const auto* realize = find<BlockRealize>(s)) {
      const Block& block = *realize->block;
      auto names = [&](const BufferRegion& r) { return r.buffer.get() == &buffer_; };
      found |= std::ranges::any_of(block.reads, names) || std::ranges::any_of(block.writes, names);
      for (const MatchBufferRegion& m : block.match_buffers) found |= names(m.source);
    }
    if (const auto* view = find<DeclBuffer>(s)) found |= view->buffer->data && view->buffer->data == buffer_.data;
    visit_parts(s);
  }
  void visit_scalar(const Scalar& s) override { found |= s && buffer_.data && uses(s, *buffer_.data); }

 private:
  const Buffer& buffer_;
};

class Mover final : public StmtRewriter {
 public:
  std::vector<Ref<Buffer>> moved;
  using StmtRewriter::visit;

  Stmt visit(const Stmt& s) override {
    if (!s) return s;
    if (const auto* realize = find<BlockRealize>(s)) return visit_block(*realize);
    if (const auto* loop = find<For>(s); loop && loop->for_kind != ForKind::Serial) return s;
    const auto* store = find<BufferStore>(s);
    const auto place = store ? places_.find(store->buffer) : places_.end();
    if (place == places_.end()) return visit_parts(s);
    std::vector<Scalar> indices = place->second.iters;
    for (const Scalar& i : store->indices) indices.push_back(visit_scalar(i));
    return BufferStore::make_masked(place->second.buffer, visit_scalar(store->value), std::move(indices),
                                    visit_scalar(store->predicate), store->span);
  }

  Scalar visit_scalar(const Scalar& s) override {
    if (!s || places_.empty()) return s;
    return rewrite(s, [&](const Scalar& node) -> Scalar {
      const auto* load = find<BufferLoad>(node);
      const auto place = load ? places_.find(load->buffer) : places_.end();
      if (place == places_.end()) return nullptr;
      std::vector<Scalar> indices = place->second.iters;
      indices.insert(indices.end(), load->indices.begin(), load->indices.end());
      return load->with_place(place->second.buffer, std::move(indices));
    });
  }

 private:
  struct Place {
    Ref<Buffer> buffer;
    std::vector<Scalar> iters;  // which part of it
  };

  Stmt visit_block(const BlockRealize& realize) {
    const Block& block = *realize.block;
    const size_t outside = around_.size();
    around_.insert(around_.end(), block.iters.begin(), block.iters.end());
    Block::Parts parts = block.parts();
    for (const Ref<Buffer>& b : block.alloc_buffers) {
      if (fits_stack(*b) || !can_move(*b, realize)) continue;
      std::erase(parts.alloc_buffers, b);
      const BufferRegion part = region_of(place_of(b));
      parts.reads.push_back(part);
      parts.writes.push_back(part);
    }
    parts.init = visit(parts.init);
    parts.body = visit(parts.body);
    around_.resize(outside);
    if (parts.alloc_buffers == block.alloc_buffers && parts.init == block.init && parts.body == block.body)
      return Stmt(&realize);
    return BlockRealize::make(realize.values, realize.predicate, Block::make(std::move(parts)), realize.span);
  }

  // The blocks around say how many parts there are, by sizes that are known where the kernel begins.
  bool can_move(const Buffer& b, const BlockRealize& realize) const {
    if (!b.is_dense() || b.elem_offset || !b.axis_separators.empty()) return false;
    std::vector<Scalar> sizes = b.shape;
    for (const IterVar& i : around_) {
      const int64_t* begin = find_int(i.domain.min);
      if (i.kind == IterKind::Opaque || !begin || *begin != 0) return false;
      sizes.push_back(i.domain.extent);
    }
    for (const Scalar& size : sizes)
      for (const IterVar& i : around_)
        if (uses(size, *i.var)) return false;
    NamedOtherwise named(b);
    if (realize.block->init) named.visit(realize.block->init);
    named.visit(realize.block->body);
    return !named.found;
  }

  const Place& place_of(const Ref<Buffer>& b) {
    Place place;
    std::vector<Scalar> shape;
    for (const IterVar& i : around_) {
      if (i.kind != IterKind::Spatial) continue;
      place.iters.push_back(i.var);
      shape.push_back(i.domain.extent);
    }
    shape.insert(shape.end(), b->shape.begin(), b->shape.end());
    place.buffer = Buffer::make(b->name, b->dtype, std::move(shape));
    moved.push_back(place.buffer);
    return places_[b] = std::move(place);
  }

  static BufferRegion region_of(const Place& place) {
    BufferRegion out{place.buffer, {}};
    const DType index = DType::int_(64);
    for (size_t i = 0; i < place.buffer->shape.size(); ++i) {
      const bool is_part = i < place.iters.size();
      out.region.push_back(is_part ? Range{place.iters[i], IntImm::make(index, 1)}
                                   : Range{IntImm::make(index, 0), place.buffer->shape[i]});
    }
    return out;
  }

  std::vector<IterVar> around_;
  std::unordered_map<Ref<Buffer>, Place> places_;
};

}  // namespace

bool fits_stack(const Buffer& buffer) {
  int64_t bytes = (buffer.dtype.bits + 7) / 8 * buffer.dtype.lanes;
  return std::ranges::all_of(buffer.shape, [&](const Scalar& d) {
    const int64_t* size = find_int(d);
    return size && !__builtin_mul_overflow(bytes, *size, &bytes) && bytes <= kLargestOnStack;
  });
}

bool has_large_temporaries(const Stmt& s) {
  LargeTemporaries large;
  large.visit(s);
  return large.found;
}

Ref<PrimFunc> with_large_temporaries_at_root(const Ref<PrimFunc>& f) {
  const auto* realize = find<BlockRealize>(f->body);
  if (!realize || !realize->values.empty()) return f;
  Block::Parts root = realize->block->parts();
  Mover mover;
  root.body = mover.visit(root.body);
  if (mover.moved.empty()) return f;
  root.alloc_buffers.insert(root.alloc_buffers.end(), mover.moved.begin(), mover.moved.end());
  return f->with_body(BlockRealize::make({}, realize->predicate, Block::make(std::move(root)), realize->span));
}

}  // namespace sunmao
