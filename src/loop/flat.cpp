#include "loop/flat.h"

#include <fmt/format.h>

#include "loop/walk.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// Returns the body of a definition; null for other statements.
const Stmt* scope_of(const Stmt& s) {
  if (const auto* n = find<Bind>(s)) return &n->body;
  if (const auto* n = find<AllocBuffer>(s)) return &n->body;
  if (const auto* n = find<DeclBuffer>(s)) return &n->body;
  return nullptr;
}

Stmt with_scope(const Stmt& s, Stmt body) {
  if (const auto* n = find<Bind>(s)) return Bind::make(n->var, n->value, std::move(body), n->span);
  if (const auto* n = find<AllocBuffer>(s))
    return AllocBuffer::make(n->buffer, std::move(body), n->annotations, n->span);
  return DeclBuffer::make(find<DeclBuffer>(s)->buffer, std::move(body), s->span);
}

}  // namespace

Stmt flat(const Stmt& s) {
  std::vector<Stmt> out;
  Stmt rest = s;
  while (rest) {
    const Stmt* body = scope_of(rest);
    if (body && *body) {
      Stmt inner = *body;
      out.push_back(with_scope(rest, nullptr));
      rest = inner;
    } else if (const auto* seq = find<Seq>(rest); seq && !seq->stmts.empty()) {
      Ref<Seq> all(seq);
      out.insert(out.end(), all->stmts.begin(), all->stmts.end() - 1);
      rest = Stmt(all->stmts.back());
    } else {
      out.push_back(rest);
      break;
    }
  }
  const auto* seq = find<Seq>(s);
  if (out.size() < 2 || (seq && seq->stmts == out)) return s;
  return Seq::make(std::move(out), s->span);
}

Stmt nested(const Stmt& s, const Stmt& tail) {
  if (!s) return tail;
  const auto* seq = find<Seq>(s);
  const std::vector<Stmt> parts = seq ? seq->stmts : std::vector<Stmt>{s};
  std::vector<Stmt> rest;  // in reverse order
  bool changed = false;
  for (size_t i = parts.size(); i-- > 0;) {
    const Stmt* body = scope_of(parts[i]);
    if (!body || *body || (rest.empty() && !tail)) {
      rest.push_back(parts[i]);
      continue;
    }
    Stmt inner = rest.empty() ? tail : Seq::make({rest.rbegin(), rest.rend()});
    rest.assign(1, with_scope(parts[i], std::move(inner)));
    changed = true;
  }
  return changed ? Seq::make({rest.rbegin(), rest.rend()}, s->span) : s;
}

namespace {

class DefinitionRenamer final : public StmtRewriter {
 public:
  explicit DefinitionRenamer(const NewNames& names) : names_(names) {}

  Stmt visit(const Stmt& s) override {
    if (!s) return s;
    if (const auto* n = find<For>(s)) return loop(*n);
    if (const auto* n = find<Bind>(s)) {
      Scalar value = visit_scalar(n->value);
      Ref<SymVar> var = symbol(n->var);
      Stmt body = visit(n->body);
      return value == n->value && var == n->var && body == n->body ? s : Bind::make(var, value, body, n->span);
    }
    if (const auto* n = find<Block>(s)) return block(*n);
    return visit_parts(s);
  }

  Scalar visit_scalar(const Scalar& s) override {
    Scalar loads = StmtRewriter::visit_scalar(s);
    if (!loads) return loads;
    return rewrite(loads, [&](const Scalar& node) -> Scalar {
      Ref<SymVar> var = find_ref<SymVar>(node);
      return var && names_.contains(var.get()) ? Scalar(symbol(var)) : Scalar();
    });
  }

  Ref<SymVar> symbol(const Ref<SymVar>& v) {
    auto name = v ? names_.find(v.get()) : names_.end();
    if (name == names_.end()) return v;
    Ref<SymVar>& known = symbols_[v];
    if (!known) known = v->renamed(name->second);
    return known;
  }

  Ref<Buffer> visit_buffer(const Ref<Buffer>& b) override {
    if (!b) return b;
    if (auto known = buffers_.find(b); known != buffers_.end()) return known->second;
    auto name = names_.find(b.get());
    std::vector<Scalar> shape = all(b->shape), strides = all(b->strides);
    Scalar offset = visit_scalar(b->elem_offset);
    Ref<SymVar> data = symbol(b->data);
    bool same = name == names_.end() && shape == b->shape && strides == b->strides && offset == b->elem_offset &&
                data == b->data;
    Ref<Buffer> out = same ? b
                           : Buffer::make(name == names_.end() ? b->name : name->second, b->dtype, std::move(shape),
                                          {.strides = std::move(strides),
                                           .elem_offset = std::move(offset),
                                           .scope = b->scope,
                                           .align = b->align,
                                           .offset_factor = b->offset_factor,
                                           .axis_separators = b->axis_separators,
                                           .data = std::move(data),
                                           .span = b->span});
    buffers_.emplace(b, out);
    return out;
  }

 private:
  std::vector<Scalar> all(const std::vector<Scalar>& values) {
    std::vector<Scalar> out;
    for (const Scalar& v : values) out.push_back(visit_scalar(v));
    return out;
  }

  Stmt loop(const For& n) {
    Scalar min = visit_scalar(n.min), extent = visit_scalar(n.extent);
    Ref<SymVar> var = symbol(n.var);
    Stmt body = visit(n.body);
    if (min == n.min && extent == n.extent && var == n.var) return n.with_body(body);
    return For::make(var, min, extent, body,
                     {.kind = n.for_kind, .thread = n.thread, .annotations = n.annotations, .span = n.span});
  }

  Stmt block(const Block& n) {
    Block::Parts parts = n.parts();
    bool changed = false;
    for (IterVar& i : parts.iters) {
      Ref<SymVar> var = symbol(i.var);
      changed |= var != i.var;
      i.var = var;
    }
    return visit_parts(changed ? Ref<Block>(Block::make(std::move(parts))) : Ref<Block>(&n));
  }

  const NewNames& names_;
  std::unordered_map<Ref<SymVar>, Ref<SymVar>> symbols_;
  BufferMap buffers_;
};

}  // namespace

Stmt with_names(const Stmt& s, const NewNames& names) { return names.empty() ? s : DefinitionRenamer(names).visit(s); }

Ref<PrimFunc> with_names(const PrimFunc& f, const NewNames& names) {
  if (names.empty()) return Ref<PrimFunc>(&f);
  DefinitionRenamer renamer(names);
  std::vector<PrimParam> params;
  for (const PrimParam& p : f.params) params.push_back({renamer.symbol(p.var), renamer.visit_buffer(p.buffer)});
  return PrimFunc::make(std::move(params), renamer.visit(f.body), f.attrs, f.result_type, f.span);
}

}  // namespace sunmao
