#include "loop/stmt.h"

#include "support/diagnostic.h"

namespace sunmao {

Stmt BufferStore::make(Ref<Buffer> buffer, Scalar value, std::vector<Scalar> indices, Span span) {
  return make_masked(std::move(buffer), std::move(value), std::move(indices), nullptr, std::move(span));
}
Stmt BufferStore::with_parts(Ref<Buffer> new_buffer, Scalar new_value, std::vector<Scalar> new_indices) const {
  return make_masked(std::move(new_buffer), std::move(new_value), std::move(new_indices), predicate, span);
}
Stmt BufferStore::make_masked(Ref<Buffer> buffer, Scalar value, std::vector<Scalar> indices, Scalar predicate,
                              Span span) {
  check_indices(*buffer, indices, span);
  if (value->dtype.element() != buffer->dtype.element()) {
    const auto* imm = find<IntImm>(value);
    if (imm && buffer->dtype.is_float())
      value = FloatImm::make(buffer->dtype, static_cast<double>(imm->value), value->span);
    else if (imm && buffer->dtype.is_integral())
      value = IntImm::make(buffer->dtype, imm->value, value->span);
    else if (const auto* f = find<FloatImm>(value); f && buffer->dtype.is_float())
      value = FloatImm::make(buffer->dtype, f->value, value->span);
    else
      fail("E0301", span,
           fmt::format("`{}` holds {}, but {} is stored", buffer->name, buffer->dtype.str(), value->dtype.str()),
           "cast the value");
  }
  const Lanes at = indices.empty() ? Lanes(1) : indices.back()->dtype.all_lanes();
  const Lanes wanted =
      buffer->dtype.with_lanes({buffer->dtype.lanes * at.count, at.is_scalable || buffer->dtype.is_scalable})
          .all_lanes();
  const Lanes given = value->dtype.all_lanes();
  if (given.count != wanted.count || given.is_scalable != wanted.is_scalable)
    fail("E0316", span,
         fmt::format("{} lanes are stored where `{}` is asked for {}", given.count, buffer->name, wanted.count),
         "broadcast the value, or index with as many lanes as it has");
  if (predicate) check_mask(*buffer, indices, predicate, span);
  return Stmt(
      new BufferStore(std::move(buffer), std::move(value), std::move(indices), std::move(predicate), std::move(span)));
}

Stmt Evaluate::make(Scalar value, Span span) { return Stmt(new Evaluate(std::move(value), std::move(span))); }

Stmt Seq::make(std::vector<Stmt> stmts, Span span) {
  std::vector<Stmt> flat;
  for (Stmt& s : stmts) {
    if (const auto* inner = find<Seq>(s))
      flat.insert(flat.end(), inner->stmts.begin(), inner->stmts.end());
    else if (s)
      flat.push_back(std::move(s));
  }
  if (flat.size() == 1) return flat[0];
  return Stmt(new Seq(std::move(flat), std::move(span)));
}

Stmt For::make(Ref<SymVar> var, Scalar min, Scalar extent, Stmt body, Options options) {
  return Stmt(new For(std::move(var), std::move(min), std::move(extent), std::move(body), std::move(options)));
}
Stmt For::make(Ref<SymVar> var, Scalar extent, Stmt body, ForKind kind) {
  Scalar zero = IntImm::make(var->dtype, 0);
  return make(std::move(var), std::move(zero), std::move(extent), std::move(body), Options{.kind = kind});
}
Stmt For::with_body(Stmt new_body) const {
  if (new_body == body) return Stmt(this);
  return make(var, min, extent, std::move(new_body),
              {.kind = for_kind, .thread = thread, .annotations = annotations, .span = span});
}

Stmt While::make(Scalar condition, Stmt body, Span span) {
  return Stmt(new While(std::move(condition), std::move(body), std::move(span)));
}
Stmt IfThenElse::make(Scalar condition, Stmt then_case, Stmt else_case, Span span) {
  return Stmt(new IfThenElse(std::move(condition), std::move(then_case), std::move(else_case), std::move(span)));
}
Stmt Bind::make(Ref<SymVar> var, Scalar value, Stmt body, Span span) {
  return Stmt(new Bind(std::move(var), std::move(value), std::move(body), std::move(span)));
}
Stmt Assert::make(Scalar condition, std::string message, Span span) {
  return make_of_kind("RuntimeError", std::move(condition), std::move(message), std::move(span));
}
Stmt Assert::make_of_kind(std::string error_kind, Scalar condition, std::string message, Span span) {
  return Stmt(new Assert(std::move(condition), std::move(message), std::move(error_kind), std::move(span)));
}
Stmt AllocBuffer::make(Ref<Buffer> buffer, Stmt body, Attrs annotations, Span span) {
  return Stmt(new AllocBuffer(std::move(buffer), std::move(body), std::move(annotations), std::move(span)));
}
Stmt DeclBuffer::make(Ref<Buffer> buffer, Stmt body, Span span) {
  return Stmt(new DeclBuffer(std::move(buffer), std::move(body), std::move(span)));
}
Stmt AttrStmt::make(AttrValue node, std::string key, Scalar value, Stmt body, Span span) {
  return Stmt(new AttrStmt(std::move(node), std::move(key), std::move(value), std::move(body), std::move(span)));
}

Ref<Block> Block::make(Parts parts) { return Ref<Block>(new Block(std::move(parts))); }

Block::Parts Block::parts() const {
  return {.name = name,
          .iters = iters,
          .reads = reads,
          .writes = writes,
          .init = init,
          .body = body,
          .alloc_buffers = alloc_buffers,
          .match_buffers = match_buffers,
          .annotations = annotations,
          .span = span};
}

Stmt BlockRealize::make(std::vector<Scalar> values, Scalar predicate, Ref<Block> block, Span span) {
  SUNMAO_CHECK(values.size() == block->iters.size(), "block {}", block->name);
  return Stmt(new BlockRealize(std::move(values), std::move(predicate), std::move(block), std::move(span)));
}

}  // namespace sunmao
