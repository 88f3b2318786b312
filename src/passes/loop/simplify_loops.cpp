#include "passes/loop/simplify_loops.h"

#include "ir/equal.h"
#include "loop/walk.h"
#include "passes/loop/kernel_forms.h"
#include "passes/passes.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

class Simplifier final : public StmtRewriter {
 public:
  explicit Simplifier(const PrimFunc& func) {
    for (const Ref<SymVar>& dim : func.dims()) analyzer_.assume(dim, {0, Interval::kMax});
  }

  Stmt visit(const Stmt& s) override {
    if (const auto* loop = find<For>(s)) return visit_for(*loop);
    if (const auto* branch = find<IfThenElse>(s)) return visit_if(*branch);
    if (const auto* store = find<BufferStore>(s)) return visit_store(*store);
    if (const auto* seq = find<Seq>(s)) return visit_seq(*seq);
    return StmtRewriter::visit(s);
  }

  /// In a stored value, simplifies only the indices of loads, so that arithmetic on data stays as it is.
  Scalar visit_scalar(const Scalar& s) override {
    if (!s) return s;
    return rewrite(s, [&](const Scalar& node) -> Scalar {
      const auto* load = find<BufferLoad>(node);
      if (!load) return nullptr;
      std::vector<Scalar> indices = simplified(load->indices);
      return indices == load->indices ? Scalar() : load->with_place(load->buffer, std::move(indices));
    });
  }

 private:
  static bool is_index(const Scalar& s) { return s->dtype.is_int() && s->dtype.bits >= 32; }
  Scalar simplified(const Scalar& s) {
    if (const auto* ramp = find<Ramp>(s)) {
      Scalar base = simplified(ramp->base), stride = simplified(ramp->stride);
      return base == ramp->base && stride == ramp->stride ? s : Ramp::make(base, stride, s->dtype.all_lanes(), s->span);
    }
    return is_index(s) && s->dtype.lanes == 1 && !find<IntImm>(s) ? analyzer_.simplify(s) : s;
  }
  std::vector<Scalar> simplified(const std::vector<Scalar>& all) {
    std::vector<Scalar> out;
    for (const Scalar& s : all) out.push_back(simplified(s));
    return out;
  }
  static bool reads_memory(const Scalar& s) {
    bool found = find<ExternScalar>(s) != nullptr;
    for_each_child(s, [&](const Scalar& child) { found = found || reads_memory(child); });
    return found;
  }

  Stmt visit_store(const BufferStore& store) {
    Scalar value = visit_scalar(store.value);
    std::vector<Scalar> indices;
    for (const Scalar& i : store.indices) indices.push_back(simplified(visit_scalar(i)));
    if (value == store.value && indices == store.indices) return Stmt(&store);
    return store.with_parts(store.buffer, value, std::move(indices));
  }

  Stmt visit_seq(const Seq& seq) {
    std::vector<Stmt> stmts;
    for (const Stmt& s : seq.stmts)
      if (Stmt kept = visit(s)) stmts.push_back(std::move(kept));
    if (stmts.empty()) return nothing();
    return stmts == seq.stmts ? Stmt(&seq) : Seq::make(std::move(stmts), seq.span);
  }

  static Stmt nothing() { return Evaluate::make(int_imm(0)); }

  Stmt visit_if(const IfThenElse& branch) {
    Scalar condition = visit_scalar(branch.condition);
    if (condition->dtype.lanes == 1 && !reads_memory(condition)) condition = analyzer_.simplify(condition);
    if (const int64_t* value = find_int(condition)) {
      if (*value != 0) return visit(branch.then_case);
      return branch.else_case ? visit(branch.else_case) : nothing();
    }
    Stmt then_case = visit(branch.then_case);
    Stmt else_case = branch.else_case ? visit(branch.else_case) : Stmt();
    if (condition == branch.condition && then_case == branch.then_case && else_case == branch.else_case)
      return Stmt(&branch);
    return IfThenElse::make(condition, then_case, else_case, branch.span);
  }

  Stmt visit_for(const For& loop) {
    Scalar min = simplified(visit_scalar(loop.min)), extent = simplified(visit_scalar(loop.extent));
    const Interval steps = analyzer_.range(extent), start = analyzer_.range(min);
    if (steps.hi <= 0) return nothing();
    if (steps.lo == 1 && steps.hi == 1 && loop.for_kind != ForKind::ThreadBinding)
      return visit(
          substitute(loop.body, {{loop.var, min->dtype == loop.var->dtype ? min : Cast::make(loop.var->dtype, min)}}));
    Interval range{start.lo, Interval::kMax};
    if (start.hi != Interval::kMax && steps.hi != Interval::kMax &&
        __builtin_add_overflow(start.hi, steps.hi - 1, &range.hi))
      range.hi = Interval::kMax;
    analyzer_.assume(loop.var, range);
    Stmt body = visit(loop.body);
    if (min == loop.min && extent == loop.extent) return loop.with_body(body);
    return For::make(
        loop.var, min, extent, body,
        {.kind = loop.for_kind, .thread = loop.thread, .annotations = loop.annotations, .span = loop.span});
  }

  Analyzer analyzer_;
};

}  // namespace

Ref<PrimFunc> simplify_loops(const Ref<PrimFunc>& func, const Target&) {
  constexpr int kMostRuns = 4;  // terms are in the order in which they are met, and what goes away meets none
  Ref<PrimFunc> out = func;
  for (int i = 0; i < kMostRuns; ++i) {
    Ref<PrimFunc> next = out->with_body(Simplifier(*out).visit(out->body));
    if (next->body == out->body || structural_equal(Expr(next), Expr(out))) break;
    out = std::move(next);
  }
  return out;
}

Module simplify_loops(const Module& m, const PassContext& ctx) {
  return map_forms(m, ctx, [](const Ref<PrimFunc>& f, const Target& target) { return simplify_loops(f, target); });
}

}  // namespace sunmao
