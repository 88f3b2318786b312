#include "compiler/reduce_model.h"

#include "compiler/reduction/reduction_search.h"
#include "ir/walk.h"
#include "loop/walk.h"

namespace sunmao {
namespace {

class CallCounter final : public Visitor {
 public:
  using Visitor::visit;
  size_t count = 0;

 private:
  void visit(const Call& call) override {
    ++count;
    Visitor::visit(call);
  }
};

class StatementCounter final : public StmtVisitor {
 public:
  size_t count = 0;
  void visit(const Stmt& s) override {
    ++count;
    visit_parts(s);
  }
};

void run_steps(reduction::ReductionSearch& search) {
  constexpr int kRounds = 4;  // what a step leaves lets the ones before it go on
  reduction::simplify_forms(search);
  for (int round = 0; round < kRounds; ++round) {
    const size_t before = search.accepted();
    reduction::cut_bindings(search);
    reduction::drop_functions(search);
    reduction::bypass_calls(search);
    reduction::shrink_sizes(search);
    reduction::simplify_values(search);
    reduction::simplify_loops(search);
    if (search.accepted() == before) return;
  }
}

}  // namespace

size_t count_calls(const Module& module) {
  CallCounter counter;
  for (const FunctionEntry& e : module.functions())
    if (find<Function>(Expr(e.func))) counter.visit(Expr(e.func));
  return counter.count;
}

size_t count_statements(const Module& module) {
  StatementCounter counter;
  for (const FunctionEntry& e : module.functions())
    if (const auto* f = find<PrimFunc>(Expr(e.func))) counter.visit(f->body);
  return counter.count;
}

Reduced reduce_model(const Model& model, const ReduceOptions& options) {
  reduction::ReductionSearch search(model, options);
  bool is_stopped = false;
  try {
    run_steps(search);
  } catch (const reduction::Stopped&) {
    is_stopped = true;
  }
  return {.model = search.best(), .tries = search.tries(), .is_stopped = is_stopped};
}

}  // namespace sunmao
