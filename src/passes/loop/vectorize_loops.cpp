#include "passes/loop/vectorize_loops.h"

#include <algorithm>

#include "loop/walk.h"
#include "passes/loop/kernel_forms.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

struct NoVectorForm {};

bool is_vector(const Scalar& s) { return s->dtype.lanes > 1; }

class Vectorizer {
 public:
  Vectorizer(const Ref<SymVar>& var, const Scalar& min, int lanes, Substitution known)
      : lanes_(lanes), values_(std::move(known)) {
    values_[var] =
        Ramp::make(min->dtype == var->dtype ? min : Cast::make(var->dtype, min), IntImm::make(var->dtype, 1), lanes);
  }

  Stmt stmt(const Stmt& s) {
    switch (s->kind) {
      case StmtKind::BufferStore: return store(*find<BufferStore>(s));
      case StmtKind::Seq: {
        std::vector<Stmt> stmts;
        for (const Stmt& part : find<Seq>(s)->stmts) stmts.push_back(stmt(part));
        return Seq::make(std::move(stmts), s->span);
      }
      case StmtKind::IfThenElse: {
        const auto& n = *find<IfThenElse>(s);
        Scalar condition = scalar(n.condition);
        Stmt then_case = stmt(n.then_case);
        return IfThenElse::make(condition, then_case, n.else_case ? stmt(n.else_case) : Stmt(), n.span);
      }
      case StmtKind::For: {
        const auto& n = *find<For>(s);
        Scalar min = scalar(n.min), extent = scalar(n.extent);
        if (is_vector(min) || is_vector(extent) || n.for_kind == ForKind::Parallel) throw NoVectorForm();
        return For::make(n.var, min, extent, stmt(n.body),
                         {.kind = n.for_kind, .annotations = n.annotations, .span = n.span});
      }
      case StmtKind::Bind: {
        const auto& n = *find<Bind>(s);
        Scalar value = scalar(n.value);
        if (!is_vector(value)) return Bind::make(n.var, value, stmt(n.body), n.span);
        Ref<SymVar> wide = SymVar::make(n.var->name, value->dtype, n.var->span);
        values_[n.var] = wide;
        Stmt body = stmt(n.body);
        values_.erase(n.var);
        return Bind::make(wide, value, std::move(body), n.span);
      }
      default: throw NoVectorForm();
    }
  }

  Scalar scalar(const Scalar& s) {
    switch (s->kind) {
      case ScalarKind::SymVar: {
        auto it = values_.find(find_ref<SymVar>(s));
        return it == values_.end() ? s : it->second;
      }
      case ScalarKind::Binary: return binary(*find<Binary>(s), s);
      case ScalarKind::Cast: {
        Scalar value = scalar(find<Cast>(s)->value);
        if (const auto* ramp = find<Ramp>(value); ramp && s->dtype.is_int() && s->dtype.bits >= value->dtype.bits)
          return Ramp::make(Cast::make(s->dtype, ramp->base), Cast::make(s->dtype, ramp->stride), lanes_, s->span);
        return is_vector(value) ? Cast::make(s->dtype.with_lanes(lanes_), value, s->span) : s;
      }
      case ScalarKind::Let: {
        const auto& n = *find<Let>(s);
        Scalar value = scalar(n.value);
        if (!is_vector(value)) return Let::make(n.var, value, scalar(n.body), n.span);
        Ref<SymVar> wide = SymVar::make(n.var->name, value->dtype, n.var->span);
        values_[n.var] = wide;
        Scalar body = scalar(n.body);
        values_.erase(n.var);  // a copy of the expression has the same variable, and may have a scalar there
        return Let::make(wide, value, std::move(body), n.span);
      }
      case ScalarKind::ScalarCall: return call(*find<ScalarCall>(s), s);
      case ScalarKind::Extern: return load(s);
      case ScalarKind::Not:
      case ScalarKind::Select: return widened(s);
      case ScalarKind::Ramp:
      case ScalarKind::Broadcast: throw NoVectorForm();
      default: return s;
    }
  }

 private:
  Scalar broadcast(const Scalar& s) const { return is_vector(s) ? s : Broadcast::make(s, lanes_); }

  Stmt store(const BufferStore& n) {
    std::vector<Scalar> indices = index_list(n.indices);
    Scalar value = scalar(n.value);
    if (n.predicate || indices.empty() || !is_vector(indices.back())) throw NoVectorForm();
    return BufferStore::make(n.buffer, broadcast(value), std::move(indices), n.span);
  }

  // Vectorizes the indices of an access; only the last index may become a vector.
  std::vector<Scalar> index_list(const std::vector<Scalar>& indices) {
    std::vector<Scalar> out;
    for (const Scalar& i : indices) {
      if (!out.empty() && is_vector(out.back())) throw NoVectorForm();
      out.push_back(scalar(i));
    }
    return out;
  }

  Scalar load(const Scalar& s) {
    const auto* n = find<BufferLoad>(s);
    if (!n || n->predicate) throw NoVectorForm();
    return BufferLoad::make(n->buffer, index_list(n->indices), s->span);
  }

  // Arithmetic that preserves a ramp returns a ramp, so that memory accesses are recognised as contiguous.
  Scalar binary(const Binary& n, const Scalar& s) {
    Scalar a = scalar(n.a), b = scalar(n.b);
    if (!is_vector(a) && !is_vector(b)) return a == n.a && b == n.b ? s : Binary::make(n.op, a, b, n.span);
    const auto *x = find<Ramp>(a), *y = find<Ramp>(b);
    const bool adds = n.op == BinaryOp::Add || n.op == BinaryOp::Sub;
    auto apply = [&](const Scalar& p, const Scalar& q) { return Binary::make(n.op, p, q); };
    if (x && y && adds) return Ramp::make(apply(x->base, y->base), apply(x->stride, y->stride), lanes_, n.span);
    if (x && !is_vector(b) && adds) return Ramp::make(apply(x->base, b), x->stride, lanes_, n.span);
    if (y && !is_vector(a) && n.op == BinaryOp::Add) return Ramp::make(apply(a, y->base), y->stride, lanes_, n.span);
    if (x && !is_vector(b) && n.op == BinaryOp::Mul)
      return Ramp::make(apply(x->base, b), apply(x->stride, b), lanes_, n.span);
    if (y && !is_vector(a) && n.op == BinaryOp::Mul)
      return Ramp::make(apply(a, y->base), apply(a, y->stride), lanes_, n.span);
    return Binary::make(n.op, broadcast(a), broadcast(b), n.span);
  }

  Scalar widened(const Scalar& s) {
    bool any = false;
    Scalar inner = map_children(s, [&](const Scalar& child) { return child; });
    std::vector<Scalar> parts;
    for_each_child(inner, [&](const Scalar& child) {
      parts.push_back(scalar(child));
      any |= is_vector(parts.back());
    });
    size_t next = 0;
    if (find<Not>(s)) return Not::make(parts[0], s->span);
    if (!any) return map_children(s, [&](const Scalar&) { return parts[next++]; });
    // A condition that is equal for all lanes stays scalar and selects between two whole vectors.
    return Select::make(parts[0], broadcast(parts[1]), broadcast(parts[2]), s->span);
  }

  Scalar call(const ScalarCall& n, const Scalar& s) {
    std::vector<Scalar> args;
    bool any = false;
    for (const Scalar& a : n.args) {
      args.push_back(find<StringImm>(a) ? a : scalar(a));
      any |= is_vector(args.back());
    }
    const bool is_choice = n.name == "if_then_else" && args.size() == 3;
    if (is_choice && is_vector(args[0]) && (has_scalar_load(args[1]) || has_scalar_load(args[2]))) throw NoVectorForm();
    if (!any) return args == n.args ? s : ScalarCall::make(n.name, n.dtype, std::move(args), n.span);
    if (n.name == "any_lane") throw NoVectorForm();  // it asks about the lanes that there are
    for (size_t i = is_choice ? 1 : 0; i < args.size(); ++i)
      if (!find<StringImm>(args[i])) args[i] = broadcast(args[i]);
    return ScalarCall::make(n.name, n.dtype.with_lanes(lanes_), std::move(args), n.span);
  }

  // True when `s` loads a scalar. Such a load cannot be masked, so it must not be executed when no lane is active.
  static bool has_scalar_load(const Scalar& s) {
    bool found = find<BufferLoad>(s) && !is_vector(s);
    for_each_child(s, [&](const Scalar& child) { found = found || has_scalar_load(child); });
    return found;
  }

  const int lanes_;
  Substitution values_;
};

class LoopVectorizer final : public StmtRewriter {
 public:
  Stmt visit(const Stmt& s) override {
    Stmt out = StmtRewriter::visit(s);
    const auto* loop = find<For>(out);
    if (!loop || loop->for_kind != ForKind::Vectorized) return out;
    const int64_t* lanes = find_int(loop->extent);
    if (lanes && *lanes > 1 && *lanes <= kMaxLanes)
      if (std::optional<Stmt> wide = vectorize(loop->body, loop->var, loop->min, static_cast<int>(*lanes)))
        return *wide;
    return For::make(loop->var, loop->min, loop->extent, loop->body,
                     {.annotations = loop->annotations, .span = loop->span});
  }

 private:
  static constexpr int64_t kMaxLanes = 1024;
};

}  // namespace

std::optional<Stmt> vectorize(const Stmt& body, const Ref<SymVar>& var, const Scalar& min, int lanes,
                              Substitution known) {
  try {
    return Vectorizer(var, min, lanes, std::move(known)).stmt(body);
  } catch (const NoVectorForm&) {
    return std::nullopt;
  }
}

Ref<PrimFunc> vectorize_loops(const Ref<PrimFunc>& func, const Target&) {
  return func->with_body(LoopVectorizer().visit(func->body));
}

Module vectorize_loops(const Module& m, const PassContext& ctx) {
  return map_forms(m, ctx, [](const Ref<PrimFunc>& f, const Target& target) { return vectorize_loops(f, target); });
}

}  // namespace sunmao
