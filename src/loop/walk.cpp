#include "loop/walk.h"

#include <algorithm>
#include <optional>

namespace sunmao {

Range StmtRewriter::visit_range(const Range& r) { return {visit_scalar(r.min), visit_scalar(r.extent)}; }

BufferRegion StmtRewriter::visit_region(const BufferRegion& r) {
  BufferRegion out{visit_buffer(r.buffer), {}};
  for (const Range& range : r.region) out.region.push_back(visit_range(range));
  return out;
}

Scalar StmtRewriter::visit_scalar(const Scalar& s) {
  return s ? rewrite(s,
                     [&](const Scalar& node) -> Scalar {
                       const auto* l = find<BufferLoad>(node);
                       if (!l) return nullptr;
                       Ref<Buffer> buffer = visit_buffer(l->buffer);
                       return buffer == l->buffer ? Scalar() : l->with_place(buffer, l->indices);
                     })
           : s;
}

Stmt StmtRewriter::visit(const Stmt& s) { return s ? visit_parts(s) : s; }

namespace {

template <class T, class F>
std::vector<T> map_all(const std::vector<T>& values, F f) {
  std::vector<T> out;
  out.reserve(values.size());
  for (const T& v : values) out.push_back(f(v));
  return out;
}

bool same(const Range& a, const Range& b) { return a.min == b.min && a.extent == b.extent; }
bool same(const BufferRegion& a, const BufferRegion& b) {
  return a.buffer == b.buffer &&
         std::ranges::equal(a.region, b.region, [](const Range& x, const Range& y) { return same(x, y); });
}
bool same(const std::vector<BufferRegion>& a, const std::vector<BufferRegion>& b) {
  return std::ranges::equal(a, b, [](const BufferRegion& x, const BufferRegion& y) { return same(x, y); });
}

}  // namespace

Stmt StmtRewriter::visit_parts(const Stmt& s) {
  auto scalar = [&](const Scalar& x) { return visit_scalar(x); };
  switch (s->kind) {
    case StmtKind::BufferStore: {
      const auto& n = *find<BufferStore>(s);
      Ref<Buffer> buffer = visit_buffer(n.buffer);
      Scalar value = visit_scalar(n.value);
      std::vector<Scalar> indices = map_all(n.indices, scalar);
      Scalar predicate = n.predicate ? visit_scalar(n.predicate) : nullptr;
      return buffer == n.buffer && value == n.value && indices == n.indices && predicate == n.predicate
                 ? s
                 : BufferStore::make_masked(buffer, value, std::move(indices), predicate, n.span);
    }
    case StmtKind::Evaluate: {
      Scalar value = visit_scalar(find<Evaluate>(s)->value);
      return value == find<Evaluate>(s)->value ? s : Evaluate::make(value, s->span);
    }
    case StmtKind::Seq: {
      std::vector<Stmt> stmts = map_all(find<Seq>(s)->stmts, [&](const Stmt& x) { return visit(x); });
      return stmts == find<Seq>(s)->stmts ? s : Seq::make(std::move(stmts), s->span);
    }
    case StmtKind::For: {
      const auto& n = *find<For>(s);
      Scalar min = visit_scalar(n.min), extent = visit_scalar(n.extent);
      Stmt body = visit(n.body);
      if (min == n.min && extent == n.extent) return n.with_body(body);
      return For::make(n.var, min, extent, body,
                       {.kind = n.for_kind, .thread = n.thread, .annotations = n.annotations, .span = n.span});
    }
    case StmtKind::While: {
      const auto& n = *find<While>(s);
      Scalar condition = visit_scalar(n.condition);
      Stmt body = visit(n.body);
      return condition == n.condition && body == n.body ? s : While::make(condition, body, n.span);
    }
    case StmtKind::IfThenElse: {
      const auto& n = *find<IfThenElse>(s);
      Scalar condition = visit_scalar(n.condition);
      Stmt then_case = visit(n.then_case), else_case = visit(n.else_case);
      return condition == n.condition && then_case == n.then_case && else_case == n.else_case
                 ? s
                 : IfThenElse::make(condition, then_case, else_case, n.span);
    }
    case StmtKind::Bind: {
      const auto& n = *find<Bind>(s);
      Scalar value = visit_scalar(n.value);
      Stmt body = visit(n.body);
      return value == n.value && body == n.body ? s : Bind::make(n.var, value, body, n.span);
    }
    case StmtKind::Assert: {
      const auto& n = *find<Assert>(s);
      Scalar condition = visit_scalar(n.condition);
      return condition == n.condition ? s : Assert::make_of_kind(n.error_kind, condition, n.message, n.span);
    }
    case StmtKind::AllocBuffer: {
      const auto& n = *find<AllocBuffer>(s);
      Ref<Buffer> buffer = visit_buffer(n.buffer);
      Stmt body = visit(n.body);
      return buffer == n.buffer && body == n.body ? s : AllocBuffer::make(buffer, body, n.annotations, n.span);
    }
    case StmtKind::DeclBuffer: {
      const auto& n = *find<DeclBuffer>(s);
      Ref<Buffer> buffer = visit_buffer(n.buffer);
      Stmt body = visit(n.body);
      return buffer == n.buffer && body == n.body ? s : DeclBuffer::make(buffer, body, n.span);
    }
    case StmtKind::AttrStmt: {
      const auto& n = *find<AttrStmt>(s);
      Scalar value = visit_scalar(n.value);
      Stmt body = visit(n.body);
      return value == n.value && body == n.body ? s : AttrStmt::make(n.node, n.key, value, body, n.span);
    }
    case StmtKind::Block: {
      const auto& n = *find<Block>(s);
      Block::Parts parts = n.parts();
      bool changed = false;
      for (IterVar& i : parts.iters) {
        Range domain = visit_range(i.domain);
        changed |= !same(domain, i.domain);
        i.domain = domain;
      }
      auto region = [&](const BufferRegion& r) { return visit_region(r); };
      parts.reads = map_all(n.reads, region);
      parts.writes = map_all(n.writes, region);
      parts.alloc_buffers = map_all(n.alloc_buffers, [&](const Ref<Buffer>& b) { return visit_buffer(b); });
      for (MatchBufferRegion& m : parts.match_buffers) {
        MatchBufferRegion visited{visit_buffer(m.buffer), visit_region(m.source)};
        changed |= visited.buffer != m.buffer || !same(visited.source, m.source);
        m = visited;
      }
      parts.init = visit(n.init);
      parts.body = visit(n.body);
      changed |= !same(parts.reads, n.reads) || !same(parts.writes, n.writes) ||
                 parts.alloc_buffers != n.alloc_buffers || parts.init != n.init || parts.body != n.body;
      return changed ? Stmt(Block::make(std::move(parts))) : s;
    }
    case StmtKind::BlockRealize: {
      const auto& n = *find<BlockRealize>(s);
      std::vector<Scalar> values = map_all(n.values, scalar);
      Scalar predicate = visit_scalar(n.predicate);
      Ref<Block> block = find_ref<Block>(visit(n.block));
      return values == n.values && predicate == n.predicate && block == n.block
                 ? s
                 : BlockRealize::make(std::move(values), predicate, block, n.span);
    }
  }
  return s;
}

namespace {

// The body of a Bind, AttrStmt, AllocBuffer or DeclBuffer, and the value of the first two (else null); nullopt for
// other statements.
struct Definition {
  const Scalar* value;
  const Stmt* body;
};

std::optional<Definition> find_definition(const Stmt& s) {
  if (const auto* n = find<Bind>(s)) return Definition{&n->value, &n->body};
  if (const auto* n = find<AttrStmt>(s)) return Definition{&n->value, &n->body};
  if (const auto* n = find<AllocBuffer>(s)) return Definition{nullptr, &n->body};
  if (const auto* n = find<DeclBuffer>(s)) return Definition{nullptr, &n->body};
  return std::nullopt;
}

}  // namespace

void StmtVisitor::visit_parts(const Stmt& s) {
  // Bind, AllocBuffer, DeclBuffer and AttrStmt may be nested thousands of levels deep. The recursion handles them
  // directly, not through Walk below, to keep its stack frames small.
  if (std::optional<Definition> d = find_definition(s)) {
    if (d->value && *d->value) visit_scalar(*d->value);
    if (*d->body) visit(*d->body);
    return;
  }
  if (const auto* seq = find<Seq>(s)) {
    for (const Stmt& inner : seq->stmts) visit(inner);
    return;
  }
  // The rewriter traverses every part; it changes nothing here.
  class Walk final : public StmtRewriter {
   public:
    explicit Walk(StmtVisitor& v) : v_(v) {}
    Stmt visit(const Stmt& inner) override {
      if (inner) v_.visit(inner);
      return inner;
    }
    Scalar visit_scalar(const Scalar& x) override {
      if (x) v_.visit_scalar(x);
      return x;
    }
    void parts(const Stmt& stmt) { visit_parts(stmt); }

   private:
    StmtVisitor& v_;
  };
  Walk(*this).parts(s);
}

namespace {

class Substituter : public StmtRewriter {
 public:
  Substituter(const Substitution& symbols, const BufferMap& buffers) : symbols_(symbols), buffers_(buffers) {}
  // Local buffers are rebuilt when their shapes, strides, offsets or data pointers use substituted symbols.
  Stmt visit(const Stmt& s) override {
    if (!s) return s;
    if (const auto* n = find<AllocBuffer>(s)) redefine(n->buffer);
    if (const auto* n = find<DeclBuffer>(s)) redefine(n->buffer);
    if (const auto* n = find<Block>(s)) {
      for (const Ref<Buffer>& b : n->alloc_buffers) redefine(b);
      for (const MatchBufferRegion& m : n->match_buffers) redefine(m.buffer);
    }
    return visit_parts(s);
  }
  Scalar visit_scalar(const Scalar& s) override {
    Scalar loads = buffers_.empty() ? s : StmtRewriter::visit_scalar(s);
    return loads ? sunmao::substitute(loads, symbols_) : loads;
  }

 protected:
  Ref<Buffer> visit_buffer(const Ref<Buffer>& b) override {
    auto it = buffers_.find(b);
    return it == buffers_.end() ? b : it->second;
  }

  // Returns a copy of the buffer with substituted parts.
  Ref<Buffer> copy_of(const Ref<Buffer>& b) {
    auto map = [&](const std::vector<Scalar>& values) {
      std::vector<Scalar> out;
      for (const Scalar& v : values) out.push_back(visit_scalar(v));
      return out;
    };
    return Buffer::make(b->name, b->dtype, map(b->shape),
                        {.strides = map(b->strides),
                         .elem_offset = visit_scalar(b->elem_offset),
                         .scope = b->scope,
                         .align = b->align,
                         .offset_factor = b->offset_factor,
                         .axis_separators = b->axis_separators,
                         .data = b->data ? find_ref<SymVar>(visit_scalar(b->data)) : nullptr,
                         .span = b->span});
  }

  Substitution symbols_;
  BufferMap buffers_;

 private:
  void redefine(const Ref<Buffer>& b) {
    if (symbols_.empty() || buffers_.contains(b)) return;
    const Ref<Buffer> copy = copy_of(b);
    if (copy->shape != b->shape || copy->strides != b->strides || copy->elem_offset != b->elem_offset ||
        copy->data != b->data)
      buffers_[b] = copy;
  }
};

// Creates a fresh node at each definition and substitutes it in the definition's scope.
class Freshener final : public Substituter {
 public:
  Freshener() : Substituter({}, {}) {}
  Stmt visit(const Stmt& s) override {
    if (!s) return s;
    if (const auto* n = find<For>(s)) {
      Scalar min = visit_scalar(n->min), extent = visit_scalar(n->extent);
      Ref<SymVar> var = fresh(n->var);
      return For::make(var, min, extent, visit(n->body),
                       {.kind = n->for_kind, .thread = n->thread, .annotations = n->annotations, .span = n->span});
    }
    if (const auto* n = find<Bind>(s)) {
      Scalar value = visit_scalar(n->value);
      Ref<SymVar> var = fresh(n->var);
      return Bind::make(var, value, visit(n->body), n->span);
    }
    if (const auto* n = find<AllocBuffer>(s)) fresh_memory(n->buffer);
    if (const auto* n = find<DeclBuffer>(s)) fresh(n->buffer);
    if (const auto* n = find<Block>(s)) {
      for (const Ref<Buffer>& b : n->alloc_buffers) fresh_memory(b);
      for (const MatchBufferRegion& m : n->match_buffers) fresh(m.buffer);
      Block::Parts parts = n->parts();
      for (IterVar& i : parts.iters) i.var = fresh(i.var);
      return visit_parts(Block::make(std::move(parts)));
    }
    return visit_parts(s);
  }

 private:
  Ref<SymVar> fresh(const Ref<SymVar>& v) {
    Ref<SymVar> copy = v->renamed(v->name);
    symbols_[v] = copy;
    return copy;
  }
  // Allocated buffers get a fresh data pointer; a view keeps the one of the viewed memory.
  void fresh_memory(const Ref<Buffer>& b) {
    if (b->data) fresh(b->data);
    fresh(b);
  }
  void fresh(const Ref<Buffer>& b) { buffers_[b] = copy_of(b); }
};

}  // namespace

Stmt substitute(const Stmt& s, const Substitution& symbols, const BufferMap& buffers) {
  return Substituter(symbols, buffers).visit(s);
}

Scalar substitute(const Scalar& s, const Substitution& symbols, const BufferMap& buffers) {
  return Substituter(symbols, buffers).visit_scalar(s);
}

Stmt with_fresh_names(const Stmt& s) { return Freshener().visit(s); }

bool has_blocks(const Stmt& s) {
  class Finder final : public StmtVisitor {
   public:
    void visit(const Stmt& inner) override {
      found = found || find<Block>(inner);
      if (!found) visit_parts(inner);
    }
    bool found = false;
  };
  Finder finder;
  if (s) finder.visit(s);
  return finder.found;
}

}  // namespace sunmao
