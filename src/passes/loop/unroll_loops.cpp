#include "passes/loop/unroll_loops.h"

#include "loop/walk.h"

namespace sunmao {
namespace {

constexpr int64_t kMaxSteps = 1024;

class Unroller final : public StmtRewriter {
 public:
  Stmt visit(const Stmt& s) override {
    Stmt out = StmtRewriter::visit(s);
    const auto* loop = find<For>(out);
    if (!loop || loop->for_kind != ForKind::Unrolled) return out;
    const int64_t* extent = find_int(loop->extent);
    if (!extent || *extent > kMaxSteps)
      return For::make(loop->var, loop->min, loop->extent, loop->body,
                       {.annotations = loop->annotations, .span = loop->span});
    const int64_t* start = find_int(loop->min);
    std::vector<Stmt> steps;
    for (int64_t i = 0; i < *extent; ++i) {
      Scalar offset = IntImm::make(loop->var->dtype, start ? *start + i : i);
      Stmt step = substitute(loop->body, {{loop->var, start ? offset : loop->min + offset}});
      steps.push_back(i == 0 ? step : with_fresh_names(step));
    }
    return Seq::make(std::move(steps), loop->span);
  }
};

}  // namespace

Ref<PrimFunc> unroll_loops(const Ref<PrimFunc>& func, const Target&) {
  return func->with_body(Unroller().visit(func->body));
}

}  // namespace sunmao
