#include "script/access_region.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "loop/walk.h"
#include "sym/analyzer.h"
#include "sym/equal.h"
#include "sym/walk.h"

namespace sunmao::script {
namespace {

struct Bounds {
  Scalar low, high;  // both inclusive
};

class RegionFinder {
 public:
  explicit RegionFinder(const Block::Parts& parts) {
    for (const Ref<Buffer>& b : parts.alloc_buffers) own_.insert(b);
    for (const MatchBufferRegion& m : parts.match_buffers) views_.emplace(m.buffer, m.source);
    if (parts.init) stmt(parts.init);
    stmt(parts.body);
    if (!parts.init) return;
    std::erase_if(found_.reads, [&](const BufferRegion& r) {
      return std::ranges::any_of(found_.writes, [&](const BufferRegion& w) { return w.buffer == r.buffer; });
    });
  }
  Accesses take() { return std::move(found_); }

 private:
  void stmt(const Stmt& s) {
    if (!s) return;
    switch (s->kind) {
      case StmtKind::BufferStore: return store(*find<BufferStore>(s));
      case StmtKind::Evaluate: return scalar(find<Evaluate>(s)->value);
      case StmtKind::Seq:
        for (const Stmt& part : find<Seq>(s)->stmts) stmt(part);
        return;
      case StmtKind::For: return loop(*find<For>(s));
      case StmtKind::While: scalar(find<While>(s)->condition); return stmt(find<While>(s)->body);
      case StmtKind::IfThenElse: {
        const auto& n = *find<IfThenElse>(s);
        scalar(n.condition);
        stmt(n.then_case);
        return stmt(n.else_case);
      }
      case StmtKind::Bind: {
        const auto& n = *find<Bind>(s);
        scalar(n.value);
        inner_.emplace(n.var.get(), std::nullopt);
        return stmt(n.body);
      }
      case StmtKind::Assert: return scalar(find<Assert>(s)->condition);
      case StmtKind::AllocBuffer: own_.insert(find<AllocBuffer>(s)->buffer); return stmt(find<AllocBuffer>(s)->body);
      case StmtKind::DeclBuffer: own_.insert(find<DeclBuffer>(s)->buffer); return stmt(find<DeclBuffer>(s)->body);
      case StmtKind::AttrStmt: scalar(find<AttrStmt>(s)->value); return stmt(find<AttrStmt>(s)->body);
      case StmtKind::Block: return block(*find<Block>(s), {});
      case StmtKind::BlockRealize: {
        const auto& n = *find<BlockRealize>(s);
        scalar(n.predicate);
        Substitution at;
        for (size_t i = 0; i < n.values.size(); ++i) {
          scalar(n.values[i]);
          at.emplace(n.block->iters[i].var, n.values[i]);
        }
        return block(*n.block, at);
      }
    }
  }

  void loop(const For& f) {
    scalar(f.min);
    scalar(f.extent);
    std::optional<Bounds> first = bounds(f.min), count = bounds(f.extent);
    std::optional<Bounds> range;
    if (first && count) {
      Scalar one = IntImm::make(count->high->dtype, 1);
      range = Bounds{first->low, analyzer_.simplify(first->high + count->high - one)};
    }
    inner_.insert_or_assign(f.var.get(), range);
    stmt(f.body);
  }

  // An inner block already declares its regions, so its body is not visited.
  void block(const Block& b, const Substitution& at) {
    auto moved = [&](BufferRegion r) {
      for (Range& range : r.region) range = {substitute(range.min, at), substitute(range.extent, at)};
      return r;
    };
    for (const BufferRegion& r : b.reads) add(found_.reads, moved(r));
    for (const BufferRegion& w : b.writes) add(found_.writes, moved(w));
  }

  static BufferRegion point(const Ref<Buffer>& buffer, std::span<const Scalar> indices) {
    BufferRegion out{buffer, {}};
    for (const Scalar& i : indices) {
      const auto* ramp = find<Ramp>(i);
      const int64_t* stride = ramp ? find_int(ramp->stride) : nullptr;
      if (stride && *stride > 0)
        out.region.push_back({ramp->base, IntImm::make(ramp->base->dtype, *stride * (i->dtype.lanes - 1) + 1)});
      else
        out.region.push_back({i, IntImm::make(i->dtype.element(), 1)});
    }
    return out;
  }

  void scalar(const Scalar& s) {
    visit_all(s, [&](const Scalar& node) {
      if (const auto* let = find<Let>(node)) inner_.emplace(let->var.get(), std::nullopt);
      if (const auto* load = find<BufferLoad>(node)) add(found_.reads, point(load->buffer, load->indices));
    });
  }

  void store(const BufferStore& s) {
    scalar(s.value);
    for (const Scalar& i : s.indices) scalar(i);
    if (s.predicate) scalar(s.predicate);
    add(found_.writes, point(s.buffer, s.indices));
  }

  bool is_outer(const Scalar& s) const {
    bool outer = s->dtype.lanes == 1;
    visit_all(s, [&](const Scalar& node) { outer &= !inner_.contains(node.get()) && !find<BufferLoad>(node); });
    return outer;
  }

  std::optional<Bounds> bounds(const Scalar& s) {
    if (is_outer(s)) return Bounds{s, s};
    if (find<SymVar>(s)) return inner_.at(s.get());
    const auto* b = find<Binary>(s);
    if (!b) return std::nullopt;
    const int64_t* by = find_int(b->b);
    bool by_constant = b->op == BinaryOp::Mul || b->op == BinaryOp::FloorDiv || b->op == BinaryOp::FloorMod;
    if (by_constant && (!by || *by <= 0)) return std::nullopt;
    std::optional<Bounds> x = bounds(b->a);
    std::optional<Bounds> y = by_constant ? Bounds{b->b, b->b} : bounds(b->b);
    if (!x || !y || x->low->dtype != y->low->dtype) return std::nullopt;
    switch (b->op) {
      case BinaryOp::Add: return Bounds{x->low + y->low, x->high + y->high};
      case BinaryOp::Sub: return Bounds{x->low - y->high, x->high - y->low};
      case BinaryOp::Mul:
      case BinaryOp::FloorDiv: return Bounds{Binary::make(b->op, x->low, b->b), Binary::make(b->op, x->high, b->b)};
      case BinaryOp::FloorMod: return Bounds{IntImm::make(s->dtype, 0), IntImm::make(s->dtype, *by - 1)};
      default: return std::nullopt;
    }
  }

  Range relaxed(const Range& r, const Scalar& whole) {
    Range full{IntImm::make(whole->dtype, 0), whole};
    if (is_outer(r.min) && is_outer(r.extent)) return r;
    std::optional<Bounds> at = bounds(r.min);
    std::optional<Bounds> length = bounds(r.extent);
    if (!at || !length || at->low->dtype != length->high->dtype) return full;
    return {analyzer_.simplify(at->low), analyzer_.simplify(at->high - at->low + length->high)};
  }

  // Returns a range that covers both: the exact hull where the distance and both extents are constants, a range equal
  // to both, else the whole dimension.
  Range hull(const Range& a, const Range& b, const Scalar& whole) {
    if (structural_equal(a.min, b.min) && structural_equal(a.extent, b.extent)) return a;
    Range full{IntImm::make(whole->dtype, 0), whole};
    if (a.min->dtype != b.min->dtype || a.extent->dtype != b.extent->dtype) return full;
    Scalar gap = analyzer_.simplify(b.min - a.min);
    const int64_t *d = find_int(gap), *m = find_int(a.extent), *n = find_int(b.extent);
    if (!d || !m || !n) return full;
    int64_t low = std::min<int64_t>(0, *d), high = std::max(*m, *d + *n);
    return {low == 0 ? a.min : b.min, IntImm::make(a.extent->dtype, high - low)};
  }

  void add(std::vector<BufferRegion>& list, BufferRegion r) {
    if (auto view = views_.find(r.buffer); view != views_.end()) r = view->second;
    if (own_.contains(r.buffer)) return;
    for (size_t i = 0; i < r.region.size(); ++i) r.region[i] = relaxed(r.region[i], r.buffer->shape[i]);
    for (BufferRegion& known : list) {
      if (known.buffer != r.buffer) continue;
      for (size_t i = 0; i < r.region.size(); ++i)
        known.region[i] = hull(known.region[i], r.region[i], r.buffer->shape[i]);
      return;
    }
    list.push_back(std::move(r));
  }

  Accesses found_;
  Analyzer analyzer_;
  std::unordered_set<Ref<Buffer>> own_;
  std::unordered_map<Ref<Buffer>, BufferRegion> views_;
  std::unordered_map<const ScalarNode*, std::optional<Bounds>> inner_;  // variables bound inside the block
};

}  // namespace

Accesses find_accesses(const Block::Parts& parts) { return RegionFinder(parts).take(); }

namespace {

class RegionCompleter final : public StmtRewriter {
 public:
  Stmt visit(const Stmt& s) override {
    Stmt out = StmtRewriter::visit(s);
    const auto* block = find<Block>(out);
    const AttrValue* note = block ? block->annotations.find(kOpenRegions) : nullptr;
    const Scalar* open = note ? note->find<Scalar>() : nullptr;
    const int64_t* which = open ? find_int(*open) : note ? note->find<int64_t>() : nullptr;
    if (!which) return out;
    Block::Parts parts = block->parts();
    AttrMap rest = parts.annotations.values();
    rest.erase(kOpenRegions);
    parts.annotations = Attrs(std::move(rest));
    Accesses found = find_accesses(parts);
    if (*which & 1) parts.reads = std::move(found.reads);
    if (*which & 2) parts.writes = std::move(found.writes);
    return Block::make(std::move(parts));
  }
};

}  // namespace

Stmt complete_regions(const Stmt& s) { return RegionCompleter().visit(s); }

}  // namespace sunmao::script
