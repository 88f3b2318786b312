#include "passes/loop/unroll_loops.h"

#include <algorithm>
#include <utility>

#include "loop/walk.h"
#include "passes/loop/kernel_forms.h"
#include "passes/pass_arguments.h"
#include "passes/passes.h"

namespace sunmao {
namespace {

constexpr int64_t kMaxSteps = 1024;
// A serial loop is not unrolled when that would give more statements than this; the limit bounds code size in nested
// loops.
constexpr int64_t kMaxStatements = 1 << 16;

// Counts the stores and evaluated expressions in a loop body, and records whether the body contains a loop.
class Contents final : public StmtVisitor {
 public:
  explicit Contents(const Stmt& s) { visit(s); }
  bool has_loop = false;
  int64_t statements = 0;

 private:
  void visit(const Stmt& s) override {
    has_loop |= find<For>(s) || find<While>(s);
    statements += find<BufferStore>(s) || find<Evaluate>(s) ? 1 : 0;
    visit_parts(s);
  }
};

class Unroller final : public StmtRewriter {
 public:
  explicit Unroller(const UnrollOptions& options) : options_(options) {}

  Stmt visit(const Stmt& s) override {
    const int64_t beside = std::exchange(depth_, 0);
    Stmt out = StmtRewriter::visit(s);
    if (const auto* loop = find<For>(out)) out = unroll(*loop, out);
    depth_ = std::max(depth_, beside);
    return out;
  }

 private:
  // Returns the unrolled loop, or `self`, which is the same loop as a statement.
  Stmt unroll(const For& loop, const Stmt& self) {
    const int64_t* extent = find_int(loop.extent);
    const bool few = extent && *extent <= kMaxSteps;
    if (loop.for_kind == ForKind::Unrolled) return few && options_.explicit_unroll ? steps_of(loop) : serial(loop);
    if (loop.for_kind != ForKind::Serial || !few || !options_.explicit_unroll || !is_small(loop, *extent)) return self;
    ++depth_;
    return steps_of(loop);
  }

  bool is_small(const For& loop, int64_t extent) const {
    if (options_.auto_max_step <= 0 && options_.auto_max_extent <= 0) return false;
    const Contents body(loop.body);
    const int64_t statements = extent * body.statements;
    if (body.has_loop || depth_ >= options_.auto_max_depth || statements > kMaxStatements) return false;
    return statements <= options_.auto_max_step || extent <= options_.auto_max_extent;
  }

  static Stmt serial(const For& loop) {
    return For::make(loop.var, loop.min, loop.extent, loop.body, {.annotations = loop.annotations, .span = loop.span});
  }

  static Stmt steps_of(const For& loop) {
    const int64_t* start = find_int(loop.min);
    const int64_t extent = *find_int(loop.extent);
    std::vector<Stmt> steps;
    for (int64_t i = 0; i < extent; ++i) {
      Scalar offset = IntImm::make(loop.var->dtype, start ? *start + i : i);
      Stmt step = substitute(loop.body, {{loop.var, start ? offset : loop.min + offset}});
      steps.push_back(i == 0 ? step : with_fresh_names(step));
    }
    return Seq::make(std::move(steps), loop.span);
  }

  const UnrollOptions& options_;
  int64_t depth_ = 0;  // nesting depth of unrolled serial loops in the last visited body
};

}  // namespace

Ref<PrimFunc> unroll_loops_as(const Ref<PrimFunc>& func, const UnrollOptions& options) {
  return func->with_body(Unroller(options).visit(func->body));
}

Ref<PrimFunc> unroll_loops(const Ref<PrimFunc>& func, const Target&) { return unroll_loops_as(func, {}); }

Module unroll_loops(const Module& m, const PassContext& ctx) {
  const PassArguments args("unroll-loops", ctx);
  const UnrollOptions options{.auto_max_step = args.int_("auto_max_step"),
                              .auto_max_depth = args.int_("auto_max_depth"),
                              .auto_max_extent = args.int_("auto_max_extent"),
                              .explicit_unroll = args.bool_("explicit_unroll")};
  return map_forms(m, ctx, [&](const Ref<PrimFunc>& f, const Target&) { return unroll_loops_as(f, options); });
}

}  // namespace sunmao
