// Structural equality of the loop level.
#include <fmt/format.h>

#include "ir/equal.h"
#include "loop/flat.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

// The path to a difference is made of the Python names of the parts: `.body.seq[1].value`.
class StmtEquality {
 public:
  explicit StmtEquality(Equality& eq) : eq_(eq) {}

  bool define_buffer(const char* step_name, const Ref<Buffer>& a, const Ref<Buffer>& b) {
    Equality::Step step(eq_, step_name);
    if (a->dtype != b->dtype || a->scope != b->scope || a->strides.size() != b->strides.size() ||
        !a->elem_offset != !b->elem_offset || a->align != b->align || a->offset_factor != b->offset_factor ||
        a->axis_separators != b->axis_separators)
      return eq_.differ("buffers of different kinds");
    if (a->data && b->data && !eq_.same(a->data.get(), b->data.get())) eq_.define(a->data.get(), b->data.get());
    define_symbols(a->shape, b->shape);
    define_symbols(a->strides, b->strides);
    if (a->elem_offset) define_symbols(std::vector{a->elem_offset}, std::vector{b->elem_offset});
    eq_.bind(a.get(), b.get());
    return scalars(".shape", a->shape, b->shape) && scalars(".strides", a->strides, b->strides) &&
           scalar(".elem_offset", a->elem_offset, b->elem_offset);
  }

  /// Compares nested statements in flat form, where definitions precede their scope.
  bool body(const char* step_name, const Stmt& a, const Stmt& b) {
    Equality::Step step(eq_, step_name);
    return stmt(flat(a), flat(b));
  }

  bool stmt(const Stmt& a, const Stmt& b) {
    if (!a || !b) return (!a && !b) || eq_.differ("a statement is on one side only");
    if (a->kind != b->kind) return eq_.differ("different kinds of statement");
    switch (a->kind) {
      case StmtKind::BufferStore: return store(*find<BufferStore>(a), *find<BufferStore>(b));
      case StmtKind::Evaluate: return scalar(".value", find<Evaluate>(a)->value, find<Evaluate>(b)->value);
      case StmtKind::Seq: return seq(*find<Seq>(a), *find<Seq>(b));
      case StmtKind::For: return loop(*find<For>(a), *find<For>(b));
      case StmtKind::While: {
        const auto &x = *find<While>(a), &y = *find<While>(b);
        return scalar(".condition", x.condition, y.condition) && body(".body", x.body, y.body);
      }
      case StmtKind::IfThenElse: {
        const auto &x = *find<IfThenElse>(a), &y = *find<IfThenElse>(b);
        return scalar(".condition", x.condition, y.condition) && body(".then_case", x.then_case, y.then_case) &&
               body(".else_case", x.else_case, y.else_case);
      }
      case StmtKind::Bind: {
        const auto &x = *find<Bind>(a), &y = *find<Bind>(b);
        if (!scalar(".value", x.value, y.value)) return false;
        eq_.bind(x.var.get(), y.var.get());
        return body(".body", x.body, y.body);
      }
      case StmtKind::Assert: {
        const auto &x = *find<Assert>(a), &y = *find<Assert>(b);
        bool same = x.message == y.message && x.error_kind == y.error_kind;
        return scalar(".condition", x.condition, y.condition) && (same || eq_.differ("different messages"));
      }
      case StmtKind::AllocBuffer: {
        const auto &x = *find<AllocBuffer>(a), &y = *find<AllocBuffer>(b);
        return define_buffer(".buffer.ty", x.buffer, y.buffer) && notes(x.annotations, y.annotations) &&
               body(".body", x.body, y.body);
      }
      case StmtKind::DeclBuffer: {
        const auto &x = *find<DeclBuffer>(a), &y = *find<DeclBuffer>(b);
        return define_buffer(".buffer.ty", x.buffer, y.buffer) && body(".body", x.body, y.body);
      }
      case StmtKind::AttrStmt: {
        const auto &x = *find<AttrStmt>(a), &y = *find<AttrStmt>(b);
        Attrs left(AttrMap{{x.key, x.node}}), right(AttrMap{{y.key, y.node}});
        return equal(left, right, eq_) && scalar(".value", x.value, y.value) && body(".body", x.body, y.body);
      }
      case StmtKind::Block: return block(*find<Block>(a), *find<Block>(b));
      case StmtKind::BlockRealize: {
        const auto &x = *find<BlockRealize>(a), &y = *find<BlockRealize>(b);
        if (!scalars(".iter_values", x.values, y.values) || !scalar(".predicate", x.predicate, y.predicate))
          return false;
        Equality::Step step(eq_, ".block");
        return block(*x.block, *y.block);
      }
    }
    return false;
  }

 private:
  bool scalar(const char* step_name, const Scalar& a, const Scalar& b) {
    Equality::Step step(eq_, step_name);
    return eq_.scalar(a, b);
  }
  bool scalars(const char* step_name, const std::vector<Scalar>& a, const std::vector<Scalar>& b) {
    Equality::Step step(eq_, step_name);
    return eq_.scalars(a, b);
  }
  bool notes(const Attrs& a, const Attrs& b) {
    Equality::Step step(eq_, ".annotations");
    return equal(a, b, eq_);
  }

  // A free buffer may be mapped only to a buffer of equal dtype, scope and rank.
  bool same_buffer(const Ref<Buffer>& a, const Ref<Buffer>& b) {
    const bool alike = a == b || (a->dtype == b->dtype && a->scope == b->scope && a->rank() == b->rank());
    return (alike && eq_.same(a.get(), b.get())) ||
           eq_.differ(fmt::format("buffer `{}` against `{}`", a->name, b->name));
  }

  // Pairs the symbols of two lists in order of occurrence, unless they are already paired: the shape, strides and
  // offset of a buffer define the symbols they contain, such as `n` in `n * 4`.
  void define_symbols(const std::vector<Scalar>& a, const std::vector<Scalar>& b) {
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      std::vector<Ref<SymVar>> left = free_symbols(a[i]), right = free_symbols(b[i]);
      for (size_t k = 0; k < std::min(left.size(), right.size()); ++k)
        if (!eq_.same(left[k].get(), right[k].get())) eq_.define(left[k].get(), right[k].get());
    }
  }

  bool store(const BufferStore& a, const BufferStore& b) {
    return same_buffer(a.buffer, b.buffer) && scalar(".value", a.value, b.value) &&
           scalars(".indices", a.indices, b.indices) && scalar(".predicate", a.predicate, b.predicate);
  }

  bool seq(const Seq& a, const Seq& b) {
    Equality::Step all(eq_, ".seq");
    if (a.stmts.size() != b.stmts.size())
      return eq_.differ(fmt::format("{} statements against {}", a.stmts.size(), b.stmts.size()));
    for (size_t i = 0; i < a.stmts.size(); ++i) {
      Equality::Step step(eq_, fmt::format("[{}]", i));
      if (!stmt(a.stmts[i], b.stmts[i])) return false;
    }
    return true;
  }

  bool loop(const For& a, const For& b) {
    if (a.for_kind != b.for_kind || a.thread != b.thread) return eq_.differ("loops of different kinds");
    if (a.var->dtype != b.var->dtype) return eq_.differ("loop variables of different types");
    if (!scalar(".min", a.min, b.min) || !scalar(".extent", a.extent, b.extent) || !notes(a.annotations, b.annotations))
      return false;
    eq_.bind(a.var.get(), b.var.get());
    return body(".body", a.body, b.body);
  }

  bool regions(const char* step_name, const std::vector<BufferRegion>& a, const std::vector<BufferRegion>& b) {
    Equality::Step step(eq_, step_name);
    if (a.size() != b.size()) return eq_.differ("different numbers of regions");
    for (size_t i = 0; i < a.size(); ++i)
      if (!region(a[i], b[i])) return false;
    return true;
  }

  bool region(const BufferRegion& a, const BufferRegion& b) {
    if (!same_buffer(a.buffer, b.buffer) || a.region.size() != b.region.size()) return eq_.differ("different regions");
    for (size_t i = 0; i < a.region.size(); ++i)
      if (!eq_.scalar(a.region[i].min, b.region[i].min) || !eq_.scalar(a.region[i].extent, b.region[i].extent))
        return false;
    return true;
  }

  bool axes(const Block& a, const Block& b) {
    Equality::Step step(eq_, ".iter_vars");
    if (a.iters.size() != b.iters.size()) return eq_.differ("different numbers of iterators");
    for (size_t i = 0; i < a.iters.size(); ++i) {
      if (a.iters[i].kind != b.iters[i].kind) return eq_.differ("iterators of different kinds");
      if (!eq_.scalar(a.iters[i].domain.min, b.iters[i].domain.min) ||
          !eq_.scalar(a.iters[i].domain.extent, b.iters[i].domain.extent))
        return false;
      eq_.bind(a.iters[i].var.get(), b.iters[i].var.get());
    }
    return true;
  }

  bool buffers(const Block& a, const Block& b) {
    if (a.alloc_buffers.size() != b.alloc_buffers.size()) return eq_.differ("different numbers of buffers");
    for (size_t i = 0; i < a.alloc_buffers.size(); ++i) {
      Equality::Step step(eq_, fmt::format(".alloc_buffers[{}]", i));
      if (!define_buffer(".ty", a.alloc_buffers[i], b.alloc_buffers[i])) return false;
    }
    if (a.match_buffers.size() != b.match_buffers.size()) return eq_.differ("different numbers of matched buffers");
    for (size_t i = 0; i < a.match_buffers.size(); ++i) {
      Equality::Step step(eq_, fmt::format(".match_buffers[{}]", i));
      if (!region(a.match_buffers[i].source, b.match_buffers[i].source) ||
          !define_buffer(".buffer.ty", a.match_buffers[i].buffer, b.match_buffers[i].buffer))
        return false;
    }
    return true;
  }

  bool block(const Block& a, const Block& b) {
    if (a.name != b.name && !eq_.options().skip_block_names)
      return eq_.differ(fmt::format("block `{}` against `{}`", a.name, b.name));
    return axes(a, b) && buffers(a, b) && regions(".reads", a.reads, b.reads) &&
           regions(".writes", a.writes, b.writes) && notes(a.annotations, b.annotations) &&
           body(".init", a.init, b.init) && body(".body", a.body, b.body);
  }

  Equality& eq_;
};

bool equal_params(const PrimFunc& a, const PrimFunc& b, Equality& eq, StmtEquality& statements) {
  for (size_t i = 0; i < a.params.size(); ++i) {
    const PrimParam &p = a.params[i], &q = b.params[i];
    Equality::Step step(eq, fmt::format("[{}]", i));
    if (!p.buffer != !q.buffer) return eq.differ("a buffer against a scalar");
    if (p.var && q.var && !eq.same(p.var.get(), q.var.get())) eq.define(p.var.get(), q.var.get());
    if (!p.buffer && p.var->dtype != q.var->dtype) return eq.differ("scalars of different types");
    if (!p.buffer && p.var->pointee != q.var->pointee) return eq.differ("pointers to different things");
  }
  for (size_t i = 0; i < a.params.size(); ++i) {
    Equality::Step step(eq, fmt::format("[{}]", i));
    if (a.params[i].buffer && !statements.define_buffer(".ty", a.params[i].buffer, b.params[i].buffer)) return false;
  }
  return true;
}

}  // namespace

bool PrimFunc::equals(const BaseFunc& other, Equality& eq) const {
  if (other.kind != ExprKind::PrimFunc) return eq.differ("a loop-level function against a graph-level one");
  const auto& f = static_cast<const PrimFunc&>(other);
  StmtEquality statements(eq);
  {
    Equality::Step step(eq, ".params");
    if (params.size() != f.params.size())
      return eq.differ(fmt::format("{} parameters against {}", params.size(), f.params.size()));
    if (!equal_params(*this, f, eq, statements)) return false;
  }
  {
    Equality::Step step(eq, ".attrs");
    if (!equal(attrs, f.attrs, eq)) return false;
  }
  {
    Equality::Step step(eq, ".ret_type");
    if (!equal(result_type, f.result_type, eq)) return false;
  }
  return statements.body(".body", body, f.body);
}

bool equal(const Stmt& a, const Stmt& b, Equality& equality) { return StmtEquality(equality).stmt(a, b); }

bool structural_equal(const Stmt& a, const Stmt& b) {
  Equality eq;
  return equal(a, b, eq);
}

}  // namespace sunmao
