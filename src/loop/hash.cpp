// Structural hash of the loop level. Equal functions have equal hashes; the hash may ignore details that equality
// compares.
#include "ir/equal.h"
#include "loop/prim_func.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

class StmtHasher {
 public:
  explicit StmtHasher(StructuralHasher& h) : h_(h) {}

  void define_buffer(const Ref<Buffer>& b) {
    if (b->data) h_.define_aside(b->data.get());
    for (const Scalar& d : b->shape)
      for (const Ref<SymVar>& s : free_symbols(d)) h_.define(s.get());
    for (const Scalar& d : b->strides)
      for (const Ref<SymVar>& s : free_symbols(d)) h_.define(s.get());
    if (b->elem_offset)
      for (const Ref<SymVar>& s : free_symbols(b->elem_offset)) h_.define(s.get());
    h_.bind(b.get());
    h_.add(b->dtype.str()).add(b->scope);
    for (const Scalar& d : b->shape) h_.scalar(d);
  }

  void stmt(const Stmt& s) {
    if (!s) {
      h_.add(uint64_t{0xcc});
      return;
    }
    h_.add(static_cast<uint64_t>(s->kind));
    if (const auto* n = find<BufferStore>(s)) {
      h_.name(n->buffer.get(), n->buffer->name);
      h_.scalar(n->value);
      for (const Scalar& i : n->indices) h_.scalar(i);
      if (n->predicate) h_.scalar(n->predicate);
    } else if (const auto* e = find<Evaluate>(s)) {
      h_.scalar(e->value);
    } else if (const auto* q = find<Seq>(s)) {
      h_.add(uint64_t{q->stmts.size()});
      for (const Stmt& inner : q->stmts) stmt(inner);
    } else if (const auto* f = find<For>(s)) {
      h_.add(static_cast<uint64_t>(f->for_kind)).add(f->thread);
      h_.scalar(f->min);
      h_.scalar(f->extent);
      hash(f->annotations, h_);
      h_.bind(f->var.get());
      stmt(f->body);
    } else if (const auto* w = find<While>(s)) {
      h_.scalar(w->condition);
      stmt(w->body);
    } else if (const auto* i = find<IfThenElse>(s)) {
      h_.scalar(i->condition);
      stmt(i->then_case);
      stmt(i->else_case);
    } else if (const auto* b = find<Bind>(s)) {
      h_.scalar(b->value);
      h_.bind(b->var.get());
      stmt(b->body);
    } else if (const auto* a = find<Assert>(s)) {
      h_.scalar(a->condition);
      h_.add(a->message);
    } else if (const auto* c = find<AllocBuffer>(s)) {
      define_buffer(c->buffer);
      hash(c->annotations, h_);
      stmt(c->body);
    } else if (const auto* d = find<DeclBuffer>(s)) {
      define_buffer(d->buffer);
      stmt(d->body);
    } else if (const auto* t = find<AttrStmt>(s)) {
      h_.add(t->key);
      h_.scalar(t->value);
      stmt(t->body);
    } else if (const auto* k = find<Block>(s)) {
      block(*k);
    } else if (const auto* r = find<BlockRealize>(s)) {
      for (const Scalar& v : r->values) h_.scalar(v);
      h_.scalar(r->predicate);
      block(*r->block);
    }
  }

 private:
  void block(const Block& b) {
    for (const IterVar& i : b.iters) {
      h_.add(static_cast<uint64_t>(i.kind));
      h_.scalar(i.domain.min);
      h_.scalar(i.domain.extent);
      h_.bind(i.var.get());
    }
    for (const Ref<Buffer>& buffer : b.alloc_buffers) define_buffer(buffer);
    for (const MatchBufferRegion& m : b.match_buffers) define_buffer(m.buffer);
    hash(b.annotations, h_);
    stmt(b.init);
    stmt(b.body);
  }

  StructuralHasher& h_;
};

}  // namespace

void PrimFunc::hash_into(StructuralHasher& h) const {
  StmtHasher statements(h);
  for (const PrimParam& p : params) {
    if (p.buffer) {
      if (p.var) h.define_aside(p.var.get());
      continue;
    }
    h.define(p.var.get());
    h.add(p.var->dtype.str());
  }
  for (const PrimParam& p : params)
    if (p.buffer) statements.define_buffer(p.buffer);
  hash(attrs, h);
  hash(result_type, h);
  statements.stmt(body);
}

uint64_t structural_hash(const Stmt& s, Equality::Options options) {
  StructuralHasher h(options);
  StmtHasher(h).stmt(s);
  return h.value();
}

}  // namespace sunmao
