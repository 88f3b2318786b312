#include "passes/lower/large_temporaries.h"

#include <algorithm>
#include <utility>

#include "loop/temporaries.h"
#include "loop/walk.h"
#include "support/shape_bytes.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

constexpr int64_t kLargestKept = 64 << 10;  // bytes of one temporary

// Returns nullopt when the size is not constant, or overflows.
std::optional<int64_t> bytes_of(const Buffer& buffer) {
  std::vector<int64_t> shape;
  for (const Scalar& d : buffer.shape) {
    const int64_t* size = find_int(d);
    if (!size) return std::nullopt;
    shape.push_back(*size);
  }
  return shape_bytes(shape, buffer.dtype);
}

class Temporaries final : public StmtVisitor {
 public:
  std::vector<Ref<Buffer>> found;
  using StmtVisitor::visit;

  void visit(const Stmt& s) override {
    if (const auto* alloc = find<AllocBuffer>(s)) found.push_back(alloc->buffer);
    if (const auto* realize = find<BlockRealize>(s))
      std::ranges::copy(realize->block->alloc_buffers, std::back_inserter(found));
    visit_parts(s);
  }
};

// True when all these buffers may stay at once. Half of the room is left for temporaries that scheduling adds.
bool stay_together(const std::vector<Ref<Buffer>>& buffers) {
  int64_t sum = 0;
  return std::ranges::all_of(buffers, [&](const Ref<Buffer>& b) {
    const std::optional<int64_t> bytes = bytes_of(*b);
    return bytes && *bytes <= kMaxTemporaryBytes && (sum += *bytes) <= kMaxTemporaryBytes / 2;
  });
}

// Searches for uses of a buffer that are no loads, stores or regions: uses of its data pointer, or a view of the
// buffer.
class NamedOtherwise final : public StmtVisitor {
 public:
  explicit NamedOtherwise(const Buffer& buffer) : buffer_(buffer) {}
  bool found = false;
  using StmtVisitor::visit;

  void visit(const Stmt& s) override {
    if (const auto* realize = find<BlockRealize>(s)) {
      for (const MatchBufferRegion& m : realize->block->match_buffers) found |= m.source.buffer.get() == &buffer_;
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
    if (const auto* loop = find<For>(s); loop && loop->for_kind != ForKind::Serial) {
      const bool outside = std::exchange(is_sequential_, false);
      Stmt out = visit_parts(s);
      is_sequential_ = outside;
      return out;
    }
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
    std::vector<Scalar> iters;  // indices in the leading dimensions
  };

  Stmt visit_block(const BlockRealize& realize) {
    const Block& block = *realize.block;
    std::vector<Scalar> values;
    for (const Scalar& v : realize.values) values.push_back(visit_scalar(v));
    const Scalar predicate = visit_scalar(realize.predicate);
    const size_t outside = around_.size();
    around_.insert(around_.end(), block.iters.begin(), block.iters.end());
    Block::Parts parts = block.parts();
    for (BufferRegion& r : parts.reads) r = visit_region(r);
    for (BufferRegion& r : parts.writes) r = visit_region(r);
    for (const Ref<Buffer>& b : block.alloc_buffers) {
      if (!is_sequential_ || stays_in_kernel(*b) || !can_move(*b, realize)) continue;
      std::erase(parts.alloc_buffers, b);
      const BufferRegion part = region_of(place_of(b));
      parts.reads.push_back(part);
      parts.writes.push_back(part);
    }
    parts.init = visit(parts.init);
    parts.body = visit(parts.body);
    around_.resize(outside);
    if (places_.empty()) return Stmt(&realize);
    return BlockRealize::make(std::move(values), predicate, Block::make(std::move(parts)), realize.span);
  }

  BufferRegion visit_region(const BufferRegion& given) {
    BufferRegion out{given.buffer, {}};
    if (const auto place = places_.find(given.buffer); place != places_.end()) {
      out.buffer = place->second.buffer;
      for (const Scalar& i : place->second.iters) out.region.push_back({i, IntImm::make(i->dtype, 1)});
    }
    for (const Range& r : given.region) out.region.push_back({visit_scalar(r.min), visit_scalar(r.extent)});
    return out;
  }

  // True when the dimensions to add are constant on entry to the kernel: the enclosing iterators start at 0, and the
  // size of the buffer does not depend on them.
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
    for (size_t i = 0; i < place.buffer->shape.size(); ++i) {
      const Scalar& size = place.buffer->shape[i];
      out.region.push_back(i < place.iters.size() ? Range{place.iters[i], IntImm::make(place.iters[i]->dtype, 1)}
                                                  : Range{IntImm::make(size->dtype, 0), size});
    }
    return out;
  }

  std::vector<IterVar> around_;
  std::unordered_map<Ref<Buffer>, Place> places_;
  bool is_sequential_ = true;  // whether no loop around runs iterations side by side, each with temporaries of its own
};

}  // namespace

bool stays_in_kernel(const Buffer& buffer) {
  const std::optional<int64_t> bytes = bytes_of(buffer);
  return bytes && *bytes <= kLargestKept;
}

Ref<PrimFunc> with_large_temporaries_at_root(const Ref<PrimFunc>& f) {
  const auto* realize = find<BlockRealize>(f->body);
  if (!realize || !realize->values.empty()) return f;
  Block::Parts root = realize->block->parts();
  Temporaries inner;
  inner.visit(root.body);
  if (stay_together(inner.found)) return f;
  Mover mover;
  root.body = mover.visit(root.body);
  if (mover.moved.empty()) return f;
  root.alloc_buffers.insert(root.alloc_buffers.end(), mover.moved.begin(), mover.moved.end());
  return f->with_body(BlockRealize::make({}, realize->predicate, Block::make(std::move(root)), realize->span));
}

}  // namespace sunmao
